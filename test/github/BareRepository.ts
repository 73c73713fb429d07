import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"

/** Writes a file of a repository; a git process for each would take a large test worker 30 ms. */
const write = async (path: string, data: string | Buffer, mode = 0o644) => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, data, { mode })
}

const writeObject = async (folder: string, type: "blob" | "tree" | "commit", data: Buffer) => {
  const bytes = Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data])
  const name = createHash("sha1").update(bytes).digest("hex")
  await write(join(folder, "objects", name.slice(0, 2), name.slice(2)), deflateSync(bytes))
  return name
}

interface Content {
  readonly readme: string
  readonly seconds: number
  readonly config: ReadonlyArray<string>
  readonly preReceive: string
}

/** A bare repository whose main branch has one commit, which is returned. */
export const writeRepository = async (folder: string, { config, preReceive, readme, seconds }: Content) => {
  const blob = await writeObject(folder, "blob", Buffer.from(readme))
  const tree = Buffer.concat([Buffer.from("100644 README.md\0"), Buffer.from(blob, "hex")])
  const by = `GitHub <noreply@github.com> ${seconds} +0000`
  const lines = [`tree ${await writeObject(folder, "tree", tree)}`, `author ${by}`, `committer ${by}`, "", "First"]
  const commit = await writeObject(folder, "commit", Buffer.from(lines.join("\n")))
  await write(join(folder, "refs", "heads", "main"), `${commit}\n`)
  await write(join(folder, "HEAD"), "ref: refs/heads/main\n")
  const core = ["[core] repositoryformatversion = 0", "[core] bare = true"]
  await write(join(folder, "config"), `${[...core, ...config].join("\n")}\n`)
  await write(join(folder, "hooks", "pre-receive"), preReceive, 0o755)
  return commit
}

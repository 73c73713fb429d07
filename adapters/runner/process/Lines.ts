import { StringDecoder } from "node:string_decoder"

/** Longest line that is read as a whole; the rest of a longer one is dropped. */
export const longestLine = 10_485_760

/** Splits chunks into lines of bounded length. */
export const splitter = (onLine: (line: string) => void) => {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  let isCut = false
  const take = (text: string) => {
    const room = longestLine - rest.length
    if (text.length <= room) rest += text
    else if (!isCut) {
      rest += text.slice(0, Math.max(0, room))
      isCut = true
    }
  }
  const end = () => {
    onLine(rest.endsWith("\r") ? rest.slice(0, -1) : rest)
    rest = ""
    isCut = false
  }
  return {
    push: (chunk: Buffer) => {
      const parts = decoder.write(chunk).split("\n")
      for (const [index, part] of parts.entries()) {
        take(part)
        if (index < parts.length - 1) end()
      }
    },
    end: () => {
      take(decoder.end())
      if (rest !== "") end()
    }
  }
}

import { build } from "esbuild"

/** Separate programs, each in one file as the service is, which starts much faster. */
export const bundle = (entryPoints: Readonly<Record<string, string>>, outdir: string) =>
  build({
    entryPoints: { ...entryPoints },
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["pg-native"],
    logLevel: "error",
    banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" }
  })

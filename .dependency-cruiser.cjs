module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "domain-is-pure",
      severity: "error",
      from: { path: "^domain/" },
      to: { pathNot: "^domain/|node_modules/effect/" }
    },
    {
      name: "application-knows-domain-only",
      severity: "error",
      from: { path: "^application/" },
      to: { pathNot: "^(domain|application)/|node_modules/effect/" }
    },
    {
      name: "adapters-do-not-meet",
      severity: "error",
      from: { path: "^adapters/([^/]+)/" },
      to: { path: "^adapters/([^/]+)/", pathNot: "^adapters/$1/" }
    },
    {
      name: "only-main-wires",
      severity: "error",
      from: { path: "^(domain|application|adapters)/" },
      to: { path: "^(main\\.ts$|test/)" }
    }
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node"]
    }
  }
}

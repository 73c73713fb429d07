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
      comment: "adapters/api holds definitions, which sibling adapters share",
      from: { path: "^adapters/([^/]+)/" },
      to: { path: "^adapters/([^/]+)/", pathNot: "^adapters/($1|api)/" }
    },
    {
      name: "definitions-know-no-handler",
      severity: "error",
      from: { path: "^adapters/api/" },
      to: { path: "^adapters/", pathNot: "^adapters/api/" }
    },
    {
      name: "rooms-of-the-domain-lean-one-way",
      comment: "value <- workspace <- work <- oncall, codehost, connection; Change.ts is the hub",
      severity: "error",
      from: { path: "^domain/(value|workspace|work)/" },
      to: { path: "^domain/(oncall|codehost|connection|tracker)/" }
    },
    {
      name: "workspace-knows-no-work",
      severity: "error",
      from: { path: "^domain/(value|workspace)/" },
      to: { path: "^domain/work/" }
    },
    {
      name: "values-know-no-workspace",
      severity: "error",
      from: { path: "^domain/value/" },
      to: { path: "^domain/workspace/" }
    },
    {
      name: "only-main-wires",
      severity: "error",
      from: { path: "^(domain|application|adapters)/" },
      to: { path: "^((main|serve|runner)\\.ts$|test/|bench/)" }
    }
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node"]
    }
  }
}

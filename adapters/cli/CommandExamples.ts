import { program } from "./Wording.ts"

/** A value for each option, so that the example of a verb can be pasted and adapted. */
const values: Readonly<Record<string, string>> = {
  "--workspace": "acme",
  "--as": "you@acme.test",
  "--team": "payments",
  "--story": "PAY-12",
  "--run": "run-7f3k",
  "--decision": "dec-4m2q",
  "--incident": "inc-4m2q",
  "--delivery": "6f1c2d1a-3b4c-4d5e-8f60-718293a4b5c6",
  "--source": "grafana",
  "--slug": "acme",
  "--name": "grafana",
  "--owner-email": "owner@acme.test",
  "--owner-name": "Olga",
  "--email": "ana@acme.test",
  "--member": "ana@acme.test",
  "--role": "admin",
  "--permissions": "read,write",
  "--expires": "90d",
  "--prefix": "tk_n9uADPAj",
  "--key-prefix": "PAY",
  "--title": "'Refund in part'",
  "--column": "ready",
  "--kind": "grafana",
  "--services": "checkout",
  "--option": "merge",
  "--settings": `'{"minimumSeverity":"high"}'`,
  "--confirm": "acme",
  "<FILE.json>": "acme.json"
}

/** Values and options of single verbs, where others say more. */
const particular: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "workspace rename": { "--to": "acme-pay" },
  "team create": { "--slug": "payments", "--name": "Payments" },
  "team set": { "--repository": "https://github.com/acme/pay" },
  "team delete": { "--confirm": "payments" },
  "team place add": { "--name": "oncall-chat", "--url-stdin": "< url.txt" },
  "team place remove": { "--name": "oncall-chat" },
  "policy set": { "--decision-hours": "24" },
  "workspace create": { "--name": "Acme" },
  "member add": { "--name": "Ana" },
  "token create": { "--name": "ci" },
  "story edit": { "--size": "m", "--demonstrate": "'Refund 5 of 10'" },
  "story list": { "--drafts": "" },
  "run list": { "--team": "payments", "--limit": "10" },
  "run stop": { "--yes": "" },
  "run retry": { "--note": "'Mind the fees'" },
  "runner show": { "--name": "build-1" },
  "runner drain": { "--name": "build-1" },
  "runner remove": { "--name": "build-1" },
  "tracker check": { "--connection": "github", "--project": "acme/pay", "--column": "ready=ready" },
  "tracker bind": { "--connection": "github", "--project": "acme/pay", "--column": "ready=ready" },
  "connection create": { "--name": "github", "--kind": "github", "--token-stdin": "< token.txt" },
  "connection show": { "--name": "github" },
  "connection test": { "--name": "github" },
  "connection renew": { "--name": "github", "--token-stdin": "< token.txt" },
  "connection remove": { "--name": "github" },
  "run logs": { "--follow": "" },
  "run report": { "--stage": "verifying", "--cost": "120" },
  mcp: { "--print": "claude-code" },
  "decision raise": { "--kind": "clarification", "--title": "'Which currency?'", "--run": "run-7f3k" },
  "decision answer": { "--note": "'Mind the fees'" },
  "decision list": { "--status": "pending" },
  "service create": { "--name": "checkout" },
  "service set": { "--name": "checkout" },
  "service show": { "--name": "checkout" },
  "service delete": { "--name": "checkout", "--confirm": "checkout" },
  "source set": { "--severity": "page=critical" },
  "source secret": { "--secret-stdin": "< secret.txt" },
  "source credentials": { "--stdin": "< credentials.json" },
  "source delete": { "--confirm": "grafana" },
  "delivery list": { "--refused": "" },
  "incident list": { "--status": "open", "--since": "2026-11-01" },
  "alert list": { "--source": "grafana", "--status": "firing" },
  "job list": { "--status": "no_adapter" },
  "audit list": { "--event": "policy_changed", "--from": "2026-11-01" }
}

/** A command line that the verb understands; `needed` are its options and arguments without which it does nothing. */
export const exampleOf = (verb: string, needed: ReadonlyArray<string>): string => {
  const own = particular[verb] ?? {}
  const options = [...new Set([...needed, ...Object.keys(own)])]
  const [files, named] = [
    options.filter((name) => name.startsWith("<")),
    options.filter((name) => name.startsWith("-"))
  ]
  const words = [
    ...named.map((name) => `${name} ${own[name] ?? values[name] ?? ""}`.trim()),
    ...files.map((name) => values[name] ?? name)
  ]
  return [program, verb, ...words].join(" ")
}

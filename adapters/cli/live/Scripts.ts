/** Files of the repository that the live demo makes. */
export const files: Readonly<Record<string, string>> = {
  "greet.sh": `#!/bin/sh
echo "Hello!"
`,
  "test.sh": `#!/bin/sh
set -e
sh greet.sh | grep -q Hello
echo "ok: it greets"
`,
  ".kanman/gates.json": `{
  "gates": [{ "name": "test", "command": ["sh", "test.sh"], "timeoutSeconds": 60 }]
}
`,
  "README.md": `# Greetings

A small repository of the live demo: \`sh greet.sh\` greets people, \`sh test.sh\` checks it.
`
}

/** The agent of the live demo: a script in place of a model, so that the demo needs no keys. */
export const agent = `set -e
prompt=$(cat)
say() { printf '{"gatehouse":{"progress":"%s"}}\\n' "$1"; }
case "$GATEHOUSE_STEP" in
plan)
  echo "1. Let greet.sh take a name."
  echo "2. Say 'Hello, NAME!' with a name, and 'Hello!' without one."
  echo "3. Test both."
  case "$prompt" in *"request changes"*) echo "4. As asked: keep it as small as possible." ;; esac
  ;;
spec)
  folder=".kanman/acceptance/$GATEHOUSE_STORY"
  mkdir -p "$folder"
  printf '#!/bin/sh\\ntest "$(sh greet.sh Ana)" = "Hello, Ana!"\\n' > "$folder/greets-by-name"
  chmod +x "$folder/greets-by-name"
  say "wrote a check that fails before the work"
  ;;
implement | rework)
  printf '#!/bin/sh\\necho "Hello\${1:+, $1}!"\\n' > greet.sh
  printf 'test "$(sh greet.sh Ana)" = "Hello, Ana!"\\necho "ok: it greets by name"\\n' >> test.sh
  say "greet.sh takes a name now"
  printf '{"gatehouse":{"costCents":3}}\\n'
  ;;
esac
`

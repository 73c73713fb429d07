#!/bin/sh
# Runs the service or a command from dist/main.js, which is bundled anew only when a source is newer.
set -e
sources="main.ts serve.ts runner.ts launch.ts build.sh package.json package-lock.json domain application adapters"
if [ -f dist/main.js ] && newer=$(find $sources -newer dist/main.js -print) && [ -z "$newer" ]; then
  exec node dist/main.js "$@"
fi
# The bundle is as old as the start of the build, so that a source saved meanwhile is newer; it is moved into place, so that
# a command that starts meanwhile never reads half of it.
new="dist/new.$$"
mkdir -p "$new"
touch "$new/begun"
npm run -s build -- "$new"
touch -r "$new/begun" "$new/main.js"
mv "$new/gatehouse.cjs" dist/gatehouse.cjs
mv "$new/main.js" dist/main.js
rm -r "$new"
exec node dist/main.js "$@"

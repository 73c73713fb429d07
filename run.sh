#!/bin/sh
# Runs the service or a command from dist/main.js, which is bundled anew only when a source is newer.
set -e
sources="main.ts serve.ts package.json package-lock.json domain application adapters"
if [ -f dist/main.js ] && newer=$(find $sources -newer dist/main.js -print) && [ -z "$newer" ]; then
  exec node dist/main.js "$@"
fi
mkdir -p dist
# The bundle is as old as the start of the build, so that a source saved meanwhile is newer; it is moved into place, so that
# a command that starts meanwhile never reads half of it.
touch "dist/begun.$$"
npm run -s build -- --outfile="dist/main.$$.js"
touch -r "dist/begun.$$" "dist/main.$$.js"
mv "dist/main.$$.js" dist/main.js
rm -f "dist/begun.$$"
exec node dist/main.js "$@"

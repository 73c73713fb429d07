#!/bin/sh
# Runs the service or a command from dist/main.js, which is bundled anew only when a source is newer.
set -e
sources="main.ts package.json package-lock.json domain application adapters"
if [ ! -f dist/main.js ] || [ -n "$(find $sources -newer dist/main.js -print -quit)" ]; then
  # Moved into place, so that a command that starts meanwhile never reads half of it.
  npm run -s build -- --outfile="dist/main.$$.js"
  mv "dist/main.$$.js" dist/main.js
fi
exec node dist/main.js "$@"

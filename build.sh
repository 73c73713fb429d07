#!/bin/sh
# Bundles the program into gatehouse.cjs, its short commands into commands.cjs, and what starts them into main.js, in dist or
# the given folder.
set -e
folder=${1:-dist}
bundle="esbuild --bundle --platform=node --target=node20 --log-level=error"
program="$bundle main.ts --format=cjs --external:pg-native --define:import.meta.url=__url --supported:dynamic-import=false"
$program --outfile="$folder/gatehouse.cjs"
# A command reads and compiles its code each time, so that code is small.
$program --minify --external:./serve.ts --external:./runner.ts --outfile="$folder/commands.cjs"
$bundle launch.ts --format=esm --outfile="$folder/main.js"

#!/bin/sh
# Bundles the program into gatehouse.cjs, and what starts it into main.js, in dist or the given folder.
set -e
folder=${1:-dist}
bundle="esbuild --bundle --platform=node --target=node20 --log-level=error"
$bundle main.ts --format=cjs --external:pg-native --define:import.meta.url=__url --outfile="$folder/gatehouse.cjs"
$bundle launch.ts --format=esm --outfile="$folder/main.js"

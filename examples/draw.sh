#!/usr/bin/env bash
# Draws the pictures of the examples, with thin roadmaps so that they stay small: rooms, site, shelf and trap.
#
#   examples/draw.sh FOLDER     against the server at PRM_SERVER, or http://127.0.0.1:7767; prm is in the PATH
set -euo pipefail
out=$(realpath "$1")
cd "$(dirname "$0")"

# name samples queries: the roadmap of the folder `name` and a picture of its first queries
draw() {
    local name=$1
    prm roadmap build "$name" --params "$name/roadmap.json" --samples "$2" >/dev/null 2>&1
    python3 -c 'import json, sys
print(json.dumps({"queries": json.load(open(sys.argv[1]))["queries"][:int(sys.argv[2])]}))' \
        "$name/queries.json" "$3" | prm picture "$name" "$out/$name.svg" --queries -
}

prm world put rooms rooms/rooms.yaml
prm robot put cart rooms/cart.json
prm world put site site/site.bt
prm robot put drone drone.json
prm world put shelf shelf/shelf.scene
prm robot put arm shelf/arm.urdf shelf/arm.srdf shelf/arm.options.json
prm world put trap trap/trap.json
prm robot put bug trap/bug.json

draw rooms 600 2
draw site 200 4
draw shelf 1000 1
draw trap 600 3

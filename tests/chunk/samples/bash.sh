#!/usr/bin/env bash
# Deploys the shop.
set -euo pipefail

readonly LIMIT=10
SHOP_HOME=${SHOP_HOME:-/srv/shop}
export PATH="$SHOP_HOME/bin:$PATH"

# Says something and ends.
die() {
  echo "deploy: $*" >&2
  exit 1
}

function deploy {
  local target=$1
  cat <<EOF > "$target/config"
shop() { not a function; }
limit = $LIMIT
EOF
  rsync -a build/ "$target"
}

if [[ $# -lt 1 ]]; then
  die "where to?"
fi

for target in "$@"; do
  deploy "$target"
done

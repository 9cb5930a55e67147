#!/bin/sh
# Brings what is missing (Bun, npm packages), then does what it is asked for: tau, test, check, build, bench, …
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
bun=$root/node_modules/.bin/bun
stamp=$root/node_modules/.tau-installed
task=$1
shift

fail() {
	echo "tau: $1" >&2
	exit 1
}

install() {
	version=$(sed -n 's/^[[:space:]]*"bun": "\([^"]*\)".*/\1/p' "$root/package.json" | head -n 1)
	lock=$root/.tau-installing
	# One installation at a time; a lock that its owner left behind is taken over.
	until mkdir "$lock" 2>/dev/null; do
		owner=$(cat "$lock/pid" 2>/dev/null)
		if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -rf "$lock"; continue; fi
		sleep 0.2
	done
	echo $$ >"$lock/pid"
	trap 'rm -rf "$lock"' EXIT
	trap 'exit 130' INT TERM HUP
	if ! installed; then
		echo "tau: installing dependencies (once) …" >&2
		log=$lock/log
		if [ -x "$bun" ] && [ "$("$bun" --version 2>/dev/null)" = "$version" ]; then
			(cd "$root" && "$bun" install --frozen-lockfile) >"$log" 2>&1
		else
			command -v npx >/dev/null 2>&1 || fail "npx is not here: install Node.js 20 or newer with npm."
			(cd "$root" && npx --yes "bun@$version" install --frozen-lockfile) >"$log" 2>&1
		fi || {
			tail -n 15 "$log" >&2
			fail "installing dependencies failed (see above). The npm registry has to be reachable."
		}
		touch "$stamp"
		echo "tau: installed." >&2
	fi
	rm -rf "$lock"
	trap - EXIT INT TERM HUP
}

installed() {
	[ -x "$bun" ] && [ -e "$stamp" ] && [ ! "$root/bun.lock" -nt "$stamp" ] && [ ! "$root/package.json" -nt "$stamp" ]
}

installed || install

# A repository that Tau is started in must not configure our runtime: no .env, no bunfig.toml of its own.
run() {
	script=$1
	shift
	exec "$bun" --no-env-file --config="$root/scripts/runtime.toml" "$root/$script" "$@"
}

case $task in
tau)
	if [ -z "${TAU_FROM_SOURCE:-}" ] && "$bun" --no-env-file --config="$root/scripts/runtime.toml" "$root/scripts/compile.ts" --cache; then
		exec "$root/node_modules/.cache/tau/tau" "$@"
	fi
	# A read-only checkout or a full disk: slower, but from the same sources.
	run packages/coding-agent/src/cli/main.ts "$@"
	;;
test) run scripts/test.ts "$@" ;;
check) run test/architecture/run.ts "$@" ;;
build) run scripts/compile.ts "$@" ;;
pack) run scripts/pack/main.ts "$@" ;;
soak) run test/soak/main.ts "$@" ;;
release) run scripts/release/main.ts "$@" ;;
bench) run bench/run.ts "$@" ;;
pictures) run scripts/pictures/main.ts "$@" ;;
stress) run test/tui/stress.ts "$@" ;;
bare) run scripts/bare/main.ts "$@" ;;
third-party) run scripts/third-party/run.ts "$@" ;;
played-model) run packages/ai/src/testing/main.ts "$@" ;;
*) fail "unknown task $task" ;;
esac

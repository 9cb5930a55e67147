#!/bin/sh
# Brings what is missing (Bun, npm packages), then does what it is asked for: tau, test, check, build, bench, …
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
bun=$root/node_modules/.bin/bun
stamp=$root/node_modules/.tau-installed
task=$1
shift

fail() {
	finish
	echo "tau: $1" >&2
	exit 1
}

# What takes long is said: on a terminal in one row that goes away, elsewhere in a line.
progress() {
	if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\r\033[Ktau: %s …' "$1" >&2; else echo "tau: $1 …" >&2; fi
}

finish() {
	if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\r\033[K' >&2; fi
}

# Another user's process cannot be signaled, and runs all the same. A zombie has ended; some containers keep it forever.
running() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in Z*) return 1 ;; esac
	case $(LC_ALL=C kill -0 "$1" 2>&1 && echo yes) in *yes* | *ermitted*) return 0 ;; esac
	[ -d "/proc/$1" ]
}

unwritable() {
	case $1 in
	*"No space"* | *ENOSPC*) fail "$root: the disk is full. Free some space, and try again." ;;
	*) fail "$root cannot be written (${1##*: }): run ./tau once as its owner, who installs it for all, or clone it to a directory of yours." ;;
	esac
}

# One installation or build at a time. A lock that its owner left behind is taken over; one without an owner after 5 s, because
# its process writes its number at once.
take_lock() {
	waited=0
	absent=0
	while :; do
		error=$(mkdir "$lock" 2>&1) && break
		if [ ! -d "$lock" ]; then
			# Either its owner has just removed it, or it cannot be made at all.
			absent=$((absent + 1))
			[ "$absent" -lt 3 ] || unwritable "$error"
			continue
		fi
		owner=$(cat "$lock/pid" 2>/dev/null)
		if { [ -n "$owner" ] && ! running "$owner"; } || { [ -z "$owner" ] && [ "$waited" -ge 25 ]; }; then
			rm -rf "$lock" 2>/dev/null
			[ ! -d "$lock" ] || fail "$1 has left $lock behind, which belongs to somebody else: remove it."
			continue
		fi
		waited=$((waited + 1))
		[ "$waited" -ne 10 ] || progress "waiting for $1${owner:+ (process $owner)}"
		sleep 0.2
	done
	trap 'rm -rf "$lock"' EXIT
	trap 'exit 130' INT TERM HUP
	{ echo $$ >"$lock/pid"; } 2>/dev/null || unwritable "No space left on device"
}

bring() {
	# npm would wait for more than a minute before it says that there is no network.
	: "${npm_config_fetch_retry_mintimeout:=1000}" "${npm_config_fetch_retry_maxtimeout:=4000}"
	export npm_config_fetch_retry_mintimeout npm_config_fetch_retry_maxtimeout
	# Users of containers and services may have no home for caches.
	if [ ! -w "${HOME:-/nonexistent}" ]; then
		export npm_config_cache="$lock/npm" BUN_INSTALL_CACHE_DIR="$lock/bun"
	fi
	if [ -x "$bun" ] && [ "$("$bun" --version 2>/dev/null)" = "$version" ]; then
		(cd "$root" && "$bun" install --frozen-lockfile) >"$log" 2>&1
	else
		command -v npx >/dev/null 2>&1 || fail "npx is not here: install Node.js 20 or newer with npm."
		(cd "$root" && npx --yes "bun@$version" install --frozen-lockfile) >"$log" 2>&1
	fi
}

explain() {
	finish
	tail -n 15 "$log" >&2
	if grep -qE 'ENOSPC|[Nn]o space left' "$log" || ! { echo full >"$lock/full"; } 2>/dev/null; then
		fail "installing dependencies failed: the disk is full. Free some space, and try again."
	elif grep -qE 'EACCES|EPERM|EROFS|[Pp]ermission denied' "$log"; then
		fail "installing dependencies failed: a directory cannot be written (see above)."
	elif grep -qE 'ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ConnectionRefused|FailedToOpenSocket|network' "$log"; then
		fail "installing dependencies failed: the npm registry cannot be reached. Check the network, or set a proxy (https_proxy) or another registry (npm config set registry)."
	fi
	fail "installing dependencies failed (see above)."
}

install() {
	version=$(sed -n 's/^[[:space:]]*"bun": "\([^"]*\)".*/\1/p' "$root/package.json" | head -n 1)
	lock=$root/.tau-installing
	log=$lock/log
	take_lock "another installation"
	if ! installed; then
		progress "installing dependencies (once)"
		bring || explain
		touch "$stamp"
	fi
	finish
	release_lock
}

release_lock() {
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

# Tests write many thousands of small files. Root has memory mounted for them, which nobody else sees and which goes away with
# the last process of the run: a tenth less CPU time, and no wait for a disk.
run_in_memory() {
	script=$1
	shift
	set -- "$bun" --no-env-file --config="$root/scripts/runtime.toml" "$root/$script" "$@"
	if may_cover "${TMPDIR:-/tmp}" && unshare --mount true 2>/dev/null; then
		mounted='mount -t tmpfs -o mode=1777 tau-test "$1" 2>/dev/null; shift; exec "$@"'
		set -- unshare --mount sh -c "$mounted" sh "${TMPDIR:-/tmp}" "$@"
	fi
	exec "$@"
}

# Nothing that the run needs may lie there. A release, its archives and copies of them are 2 GB for a while.
may_cover() {
	for needed in "$root" "$(pwd -P)" "${HOME:-/}"; do
		case $needed/ in "$1"/*) return 1 ;; esac
	done
	free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null)
	[ "$(id -u)" = 0 ] && [ "${free:-0}" -gt 8000000 ]
}

compiled=$root/node_modules/.cache/tau/tau
# One build at a time: several starts at once, such as those of tests, would all build the same. Who has waited looks
# again whether there is something to build.
compile() {
	lock=$root/node_modules/.cache/tau-building
	mkdir -p "${lock%/*}" 2>/dev/null
	waited=0
	# What cannot be written is said by the build.
	if [ -d "${lock%/*}" ] && [ -w "${lock%/*}" ]; then take_lock "another build"; fi
	if [ "$waited" -gt 0 ]; then
		finish
		release_lock
		exec "$root/tau" "$@"
	fi
	# Programs that read our output need no word about it; users would look at an empty screen.
	if [ ! -t 2 ]; then :; elif [ -e "$compiled" ]; then progress "building what has changed"; else progress "building (once)"; fi
	errors=$("$bun" --no-env-file --config="$root/scripts/runtime.toml" "$root/scripts/compile.ts" --cache 2>&1)
	status=$?
	finish
	release_lock
	[ -z "$errors" ] || printf '%s\n' "$errors" >&2
	return $status
}

# Tasks that wait for the prompt of a terminal would not wait until it has compiled.
built() {
	sh "$root/tau" --version >/dev/null
}

case $task in
tau)
	if [ -z "${TAU_FROM_SOURCE:-}" ] && compile "$@"; then exec "$compiled" "$@"; fi
	# A read-only checkout or a full disk: slower, but from the same sources.
	run packages/coding-agent/src/cli/main.ts "$@"
	;;
test) run_in_memory scripts/test.ts "$@" ;;
check) run test/architecture/run.ts "$@" ;;
build) run scripts/compile.ts "$@" ;;
pack) run scripts/pack/main.ts "$@" ;;
soak) built && run test/soak/main.ts "$@" ;;
release) run scripts/release/main.ts "$@" ;;
bench) run bench/run.ts "$@" ;;
bytecode-order) built && run scripts/bytecode-order.ts ;;
hops) run scripts/hops/main.ts ;;
pictures) built && run scripts/pictures/main.ts "$@" ;;
stress) run test/tui/stress.ts "$@" ;;
bare) run scripts/bare/main.ts "$@" ;;
site) run scripts/site/main.ts "$@" ;;
third-party) run scripts/third-party/run.ts "$@" ;;
played-model) run packages/ai/src/testing/main.ts "$@" ;;
*) fail "unknown task $task" ;;
esac

import { describe, expect, test } from "bun:test";

import { commandFacts, matchesRule, parseCommandRule, shapeOf, type CommandRule } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

function rule(text: string): CommandRule {
	const parsed = parseCommandRule(text);
	if ("problem" in parsed) throw new Error(parsed.problem);
	return parsed;
}

/** What a policy decides that lets reads run, and nothing else but what rules allow. */
function isAllowed(command: string, ...rules: string[]): boolean {
	const { programs, writes, unknown } = commandFacts(command, place);
	if (unknown !== undefined || writes.length > 0) return false;
	return programs.every((run) => run.effect === "read" || rules.some((text) => matchesRule(rule(text), run)));
}

function isDenied(command: string, text: string): boolean {
	return commandFacts(command, place).programs.some((run) => matchesRule(rule(text), run, "restrict"));
}

describe("rules on commands", () => {
	test.each([
		["npm run build", "npm run build", true],
		["npm run build", "npm run build --watch", false],
		["npm run build:*", "npm run build", true],
		["npm run build:*", "npm run build --watch", true],
		["npm run build:*", "npm run builder", false],
		["npm run build *", "npm run build", true],
		["npm run build *", "npm run build --watch", true],
		["npm run build *", "npm run builder", false],
		["npm run build*", "npm run builder", true],
		["npm run test*", "npm run test:unit -- --watch", true],
		["npm * build", "npm run build", true],
		["npm * build", "npm run test", false],
		["*", "make", true],
		["make", "make", true],
		["make:*", "make -j4 test", true],
		["make:*", "makedepend", false],
		["git commit:*", "git commit -m 'a b'", true],
		["git commit -m 'a b'", 'git commit -m "a b"', true],
		["git commit -m 'a b'", "git commit -m a b", false],
		["npm test", "timeout 60 npm test", true],
		["npm test", "time npm test 2>&1 | tail -5", true],
		["npm test", "cd src && npm test", true],
		["npm test", "bash -c 'npm test'", true],
		["npm test", "FOO=1 npm test", false],
		["npm test", "NODE_ENV=test npm test", true],
		["npm test", "./npm test", false],
		["npm test", "/usr/bin/npm test", true],
		["sudo apt update:*", "sudo apt update", true],
		["sudo:*", "sudo apt update", false],
		["xargs:*", "ls | xargs ./x", false],
		["env:*", "env ./x", false],
		["./x", "./x", true],
		["make \\*", "make '*'", true],
	])("%s and %s: %p", (text, command, allowed) => {
		expect(isAllowed(command, text)).toBe(allowed);
	});

	test("a rule that is more than one command, or has :* inside, is refused with the reason", () => {
		expect(parseCommandRule("git log && rm a")).toHaveProperty("problem");
		expect(parseCommandRule("git log > a")).toHaveProperty("problem");
		expect(parseCommandRule("git:* push")).toHaveProperty("problem");
		expect(parseCommandRule("npm * x:*")).toHaveProperty("problem");
	});

	test("nothing is smuggled past an allow rule for git log", () => {
		const probes = [
			"git log && touch pwned",
			"git log; touch pwned",
			"git log\ntouch pwned",
			"git log & touch pwned",
			"git log | tee pwned",
			"git log || touch pwned",
			"git log $(touch pwned)",
			"git log `touch pwned`",
			"git log <(touch pwned)",
			"git log > pwned",
			"git log --output=pwned",
			"GIT_PAGER='touch pwned' git log",
			"git -c alias.x='!touch pwned' x",
			"git log <<EOF\n$(touch pwned)\nEOF",
			"git() { touch pwned; }; git log",
			"eval 'git log; touch pwned'",
			"git log --outp=pwned",
			"git log --output pwned",
			"git log $OPTIONS",
			"git log $(echo --output=pwned)",
			"o=--output=pwned; git log $o",
			"git log {--output=pwned,-1}",
			"git log >| pwned",
			"git log &> pwned",
			"git log 2> pwned",
			"git log >& pwned",
			"git log 3>&1 > pwned",
			"git log > >(cat > pwned)",
			"git log --ext-diff -p",
			"git -c core.pager='touch pwned' log",
			"git -c pager.log='touch pwned' log",
			"git --exec-path=. log",
			"git -p -c core.pager='touch pwned' log",
			"PAGER='touch pwned' git log",
			"PATH=. git log",
			"export PATH=.; git log",
			"LD_PRELOAD=./x.so git log",
			"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='touch pwned' git log",
			"GIT_EXTERNAL_DIFF='touch pwned' git log -p --ext-diff",
			"alias git='touch pwned'\ngit log",
			"hash -p /tmp/x git; git log",
			"function git { touch pwned; }\ngit log",
			"./git log",
			"git log \\\n; touch pwned",
			"git log #\ntouch pwned",
			"git log ${x:=$(touch pwned)}",
			'git log "$(touch pwned)"',
			'git log "`touch pwned`"',
			"git log $((a[$(touch pwned)]))",
			"git log ${a[$(touch pwned)]}",
			"x='a[$(touch pwned)]'; git log $((x))",
			"git log | while read l; do touch pwned; done",
			"git log | xargs touch",
			"git log | xargs -I{} sh -c {}",
			"git log | sh",
			"git log | sed 's/.*/touch pwned/e'",
			"git log | awk '{ system(\"touch pwned\") }'",
			"git log | sort -o pwned",
			"if git log; then touch pwned; fi",
			"while git log; do touch pwned; break; done",
			"for x in 1; do git log; touch pwned; done",
			"case x in x) git log; touch pwned;; esac",
			"(git log; touch pwned)",
			"{ git log; touch pwned; }",
			"! git log || touch pwned",
			"time git log; touch pwned",
			"trap 'touch pwned' EXIT; git log",
			"exec git log > pwned",
			"env GIT_PAGER='touch pwned' git log",
			"env -S 'touch pwned' git log",
			"command touch pwned; git log",
			"sudo git log",
			"git log $'--output=pwned'",
			"git log '--out'put=pwned",
			"git log --o\\utput=pwned",
			"git log --out\\\nput=pwned",
			"git $'log' --output=pwned",
			"git \"log\" $'\\x2d-output=pwned'",
			"git log <<'A' ; touch pwned\nA",
			"git log <<A\\\nB\nA\\\nB\ntouch pwned",
			"cat <<EOF\nEO\\\nF\ntouch pwned",
			"cat <<'E'OF\n$(x)\nEOF\ntouch pwned",
			'echo "$\\\n(touch pwned)"',
			"echo ${x@P}",
			"echo ${!x}",
			"coproc touch pwned",
			"git log; . ./pwn.sh",
			"[[ a[$(touch pwned)] -eq 1 ]]",
			"[[ -v 'a[$(touch pwned)]' ]]",
			"printf -v 'a[$(touch pwned)]' x",
			"read 'a[$(touch pwned)]' <<< x",
			"echo hi >/dev/tcp/localhost/1",
			"PS4='$(touch pwned)' bash -xc 'git log'",
			"BASH_ENV=./pwn bash -c 'git log'",
			"git log -1 --format=%B | git apply",
			"git grep -Otouch log",
			"git log\ttouch; touch\tpwned",
			"git log\rtouch pwned > pwned",
		];
		expect(probes.filter((command) => isAllowed(command, "git log:*", "git log *"))).toEqual([]);
	});

	test("a pipe of allowed commands is not asked about", () => {
		for (const command of [
			"git log --oneline | head -5",
			"git log | grep fix | wc -l",
			"git status && git diff --stat",
			"npm test 2>&1 | tail -20",
			"cd src && git log > /dev/null 2>&1; echo $?",
		])
			expect(isAllowed(command, "npm test:*")).toBe(true);
	});

	test("a deny rule matches inside of wrappers, substitutions and commands that are not understood", () => {
		for (const command of [
			"rm a",
			"/bin/rm a",
			"./rm a",
			"X=1 rm a",
			"PATH=. rm a",
			"sudo rm a",
			"ls | xargs rm",
			"find . -exec rm {} +",
			"bash -c 'rm a'",
			"bash -c 'rm \"$x\"'",
			"echo $(rm a)",
			"rm $x",
			"$x; rm a",
			"eval rm a",
			"if rm a",
			"(rm a",
			"rm a )",
			'bash -c "rm a',
			"busybox rm a",
			"f() { rm a; }; f",
			"ls() { rm a; }",
		])
			expect(isDenied(command, "rm:*")).toBe(true);
		expect(isDenied("git $x", "git push:*")).toBe(true);
		expect(isDenied("git push origin main", "git push:*")).toBe(true);
		expect(isDenied("git status", "git push:*")).toBe(false);
		expect(isDenied("echo rm a", "rm:*")).toBe(false);
		expect(isDenied("sudo ls", "sudo:*")).toBe(true);
	});

	test("a yes to a program is none to another one that its options start", () => {
		const isCovered = (command: string, text: string): boolean =>
			commandFacts(command, place).programs.every((run) => matchesRule(rule(text), run));
		for (const [command, text] of [
			["node --test --import data:text/javascript,1", "node --test:*"],
			["node --test -e 1", "node --test:*"],
			["git grep -O./evil x", "git grep:*"],
			["bat --pager=./evil x", "bat:*"],
			["man -P ./evil ls", "man:*"],
		] as const)
			expect([command, isCovered(command, text)]).toEqual([command, false]);
		expect(isCovered("node --test --import tsx a.test.ts", "node --test:*")).toBe(true);
	});

	test("the shape for always is never wider than what a user would expect", () => {
		const shape = (command: string): string =>
			shapeOf(commandFacts(command, place).programs.at(-1) ?? never());
		expect(shape("git commit -m x")).toBe("git commit:*");
		expect(shape("npm run build")).toBe("npm run build:*");
		expect(shape("npm test")).toBe("npm test:*");
		expect(shape("cargo test -q")).toBe("cargo test:*");
		for (const exact of [
			"python a.py",
			"npx foo",
			"sudo",
			"node -e 1",
			"bash a.sh",
			"make",
			"docker exec a b",
			"./x",
			"git push origin main",
			"git -C a commit",
			"npm exec foo",
			"rm -rf build",
		])
			expect(shape(exact)).toBe(exact);
		for (const command of ["git commit -m x", "npm run build", "python a.py", "make '*'", "foo * bar"]) {
			const run = commandFacts(command, place).programs.at(-1) ?? never();
			if (!run.argv.includes(undefined)) expect(matchesRule(rule(shapeOf(run)), run)).toBe(true);
		}
	});
});

function never(): never {
	throw new Error("the command runs nothing");
}

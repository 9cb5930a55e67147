import { describe, expect, test } from "bun:test";

import { commandFacts } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };
const writes = (command: string): (string | undefined)[] =>
	commandFacts(command, place).writes.map(({ path }) => path);

describe("the facts of a command", () => {
	test("relative writes follow cd, also one that may fail", () => {
		expect(writes("echo x > a")).toEqual(["/home/u/p/a"]);
		expect(writes("cd src && echo x > a")).toEqual(["/home/u/p/src/a"]);
		expect(writes("cd src; echo x > a")).toEqual(["/home/u/p/src/a", "/home/u/p/a"]);
		expect(writes("cd src || exit; echo x > a")).toEqual(["/home/u/p/src/a"]);
		expect(writes("(cd src && ls); echo x > a")).toEqual(["/home/u/p/a"]);
		// Bash goes to the name without the link, or to what is behind it.
		expect(writes("cd link/../lib && echo x > a")).toEqual([undefined]);
		expect(writes("cd link && cd ../lib && echo x > a")).toEqual([undefined]);
		expect(writes("cd ../lib && echo x > a")).toEqual(["/home/u/lib/a"]);
		expect(writes("cd src/lib && cd ../.. && echo x > a")).toEqual(["/home/u/p/a"]);
		// Any of the commands may fail.
		expect(writes("cd src && cd lib; echo x > a")).toEqual([
			"/home/u/p/src/lib/a",
			"/home/u/p/a",
			"/home/u/p/src/a",
		]);
		expect(writes("cd src && ls && cd ..; echo x > a")).toEqual(["/home/u/p/a", "/home/u/p/src/a"]);
		expect(writes("cd src && cd lib || echo x > a")).toEqual([
			"/home/u/p/a",
			"/home/u/p/src/a",
			"/home/u/p/src/lib/a",
		]);
		expect(writes("cd && echo x > a")).toEqual(["/home/u/a"]);
		expect(writes("cd $x && echo x > a")).toEqual([undefined]);
		expect(writes("for d in a b; do cd $d; echo x > a; done")).toEqual([undefined]);
		expect(writes("bash -c 'cd /tmp && touch a'; touch b")).toEqual(["/tmp/a", "/home/u/p/b"]);
	});

	test("regression: a list that fails leaves the shell where any of its commands has gone", () => {
		const [p, d] = ["/home/u/p/a", "/home/u/p/d/a"];
		for (const [list, expected] of [
			["cd d && cd no; touch a", ["/home/u/p/d/no/a", p, d]],
			["cd d && cat no && cd ..; touch a", [p, d]],
			["(cd d && cat no && cd ..; touch a)", [p, d]],
			["{ cd d && ls; }; touch a", [d, p]],
			["cd d && cat no || touch a", [p, d]],
			["cd d && ls && touch a", [d]],
			["cd d || cd e && ls; touch a", [d, "/home/u/p/e/a", "/home/u/p/d/e/a", p]],
			["! cd d && touch a", [d, p]],
			["if cd d && cat no && cd ..; then ls; else touch a; fi", [p, d]],
			["ls && cd d || exit; touch a", [d]],
		] as const)
			expect([list, writes(list)]).toEqual([list, [...expected]]);
		expect(writes("cd a && cd b && cd c && cd d && cd e; touch a")).toEqual([undefined]);
	});

	test("a path that may lead through a link is not only its shortened form", () => {
		expect(writes("echo x > ../a")).toEqual(["/home/u/a"]);
		expect(writes("echo x > link/../a")).toEqual([undefined, "/home/u/p/a"]);
		expect(writes("cd link && echo x > ../a")).toEqual([undefined, "/home/u/p/a"]);
	});

	test("writers name what they change", () => {
		expect(writes("cp a b dst")).toEqual(["/home/u/p/dst", "/home/u/p/dst/a", "/home/u/p/dst/b"]);
		expect(writes("mv a b")).toEqual(["/home/u/p/b", "/home/u/p/b/a", "/home/u/p/a"]);
		expect(writes("tee ~/x $HOME/y")).toEqual(["/home/u/x", "/home/u/y"]);
		expect(writes("f=out; ls > $f.txt")).toEqual(["/home/u/p/out.txt"]);
		expect(writes("ls > $f")).toEqual([undefined]);
		expect(writes("rm *.log")).toEqual([undefined]);
		expect(writes("touch {a,b}.txt")).toEqual(["/home/u/p/a.txt", "/home/u/p/b.txt"]);
		expect(writes("git -C /other add a")).toEqual(["/other"]);
		expect(writes("git config --global a.b c")).toEqual(["/home/u/.gitconfig"]);
		expect(writes("ls 2>/dev/null >&2")).toEqual([]);
	});

	test("files that are read are listed, also as patterns", () => {
		const reads = (command: string): readonly string[] => commandFacts(command, place).reads;
		expect(reads("cat .env ~/.ssh/id_rsa")).toEqual(["/home/u/p/.env", "/home/u/.ssh/id_rsa"]);
		expect(reads("grep -e KEY .env")).toEqual(["/home/u/p/.env"]);
		expect(reads("grep KEY < .env")).toEqual(["/home/u/p/.env"]);
		expect(reads("cd sub && sed -n 1p a")).toEqual(["/home/u/p/sub/a"]);
		expect(reads("python3 .env")).toEqual(["/home/u/p/.env"]);
		expect(reads("cd ~/.ssh && cat -n id_rsa")).toEqual(["/home/u/.ssh/id_rsa"]);
		expect(reads("git config -f ~/.aws/credentials -l")).toEqual(["/home/u/.aws/credentials"]);
		expect(reads("git -C ~/.ssh diff --no-index /dev/null id_rsa")).toContain("/home/u/.ssh/id_rsa");
		expect(reads("git -C ~/.ssh grep --no-index x")).toContain("/home/u/.ssh");
		expect(reads("git -C / grep --no-index x home/u/.ssh")).toContain("/home/u/.ssh");
		expect(reads("git annotate --contents ../.ssh/id_rsa f")).toContain("/home/u/.ssh/id_rsa");
		expect(reads("git archive --add-file ~/.ssh/id_rsa HEAD")).toContain("/home/u/.ssh/id_rsa");
		expect(reads("git fmt-merge-msg -F ~/.ssh/id_rsa")).toContain("/home/u/.ssh/id_rsa");
		expect(reads("git ls-files -X ~/.ssh/id_rsa")).toContain("/home/u/.ssh/id_rsa");
		expect(reads("jq -R --from-file f ~/.ssh/id_rsa")).toContain("/home/u/.ssh/id_rsa");
		expect(commandFacts("cat .e*", place).readGlobs).toEqual(["/home/u/p/.e*"]);
	});

	test("what the command itself has unpacked or moved may be a link when it is read", () => {
		const unknown = (command: string): string | undefined => commandFacts(command, place).unknown;
		for (const command of ["tar xf a.tar; cat b", "git stash pop && head b", "git mv d/b b; cat b"])
			expect([command, unknown(command)]).toEqual([command, expect.stringContaining("may be a link")]);
		for (const command of ["tar xf a.tar && ls b", "git mv a b; git diff b", "mv a b && cat c"])
			expect([command, unknown(command)]).toEqual([command, undefined]);
	});

	test("programs inside of wrappers come with the wrappers around them", () => {
		const { programs } = commandFacts("sudo env A=1 timeout 5 rm a", place);
		expect(programs.map(({ name, within }) => [name, ...within].join(" < "))).toEqual([
			"sudo",
			"env < sudo",
			"timeout < sudo < env",
			"rm < sudo < env < timeout",
		]);
	});

	test("scripts of another shell than bash are unknown", () => {
		expect(commandFacts("ls", { ...place, shell: "/bin/bash" }).unknown).toBeUndefined();
		expect(commandFacts("ls", { ...place, shell: "/usr/bin/fish" }).unknown).toContain("fish");
	});

	test("what cannot be known has a reason that fits on a line", () => {
		const { unknown } = commandFacts(`${"$x".repeat(1000)} a`, place);
		expect(unknown?.length).toBeLessThan(250);
	});
});

/** The closed list of what runs unasked where nothing contains commands: whole words, and files that the walk lists, too. */
import { expect, test } from "bun:test";

import { samples } from "../../../../test/support/depth.ts";
import { commandFacts } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

function whyAsked(command: string): string | undefined {
	const { intricate, unknown, programs } = commandFacts(command, place);
	const reasons = [...programs.map(({ unlisted }) => unlisted), intricate, unknown];
	return reasons.some(Boolean) ? reasons.join("\n") : undefined;
}

test.each([
	// An option in full, and in no other form.
	["sort --compress f", "sort with --compress"],
	["sort --compress-program=./x f", "sort with --compress-program"],
	["grep --reg=x f", "grep with --reg"],
	["ls --colo", "ls with --colo"],
	["wc --files0-from=f", "wc with --files0-from"],
	["head -n", "head with -n"],
	["head --lines f", "head with --lines"],
	["cat -nX f", "cat with -nX"],
	["sort -uo f", "sort with -uo"],
	["tree -aL 2", undefined],
	["tree -aLo 2", "tree with -aLo"],
	["tree -aL2", "tree with -aL2"],
	["git log --outp=f", "git log with --outp"],
	["git log -S --output=f", "git log with -S"],
	["git diff -Of", "git diff with -Of"],
	["git branch -v new", "git branch with new"],
	["git branch -l new", "git branch with -l"],
	["git tag v1", "git tag with v1"],
	["git --git-dir=x log", "git --git-dir"],
	["git -c x.y=z log", "git -c"],
	["git -C .. log", "git -C"],
	["git -C a -C b log", "git -C"],
	// Operands of another kind, or one more.
	["uniq a b", "uniq with b"],
	["uniq src/*", "uniq with src/*"],
	["diff a b c", "diff with c"],
	["date 01010101", "date with 01010101"],
	["hostname x", "hostname with x"],
	["sort +1 f", "sort with +1"],
	["tail +f f", "tail with +f"],
	["cat /proc/self/environ", "cat with /proc"],
	["cat //proc/1/cmdline", "cat with //proc"],
	["cat /./dev/zero", "cat with /./dev"],
	["cat /etc/../proc/1/cmdline", "cat with /etc"],
	["cat ../../../proc/1/cmdline", "/proc/1/cmdline is no file"],
	["cat < //proc/1/cmdline", "/proc/1/cmdline is no file"],
	["cd / && cat proc/1/cmdline", "/proc/1/cmdline is no file"],
	['for f in ../../../proc/1/cmdline x; do cat "$f"; done', "/proc/1/cmdline is no file"],
	["cat /proc/cpuinfo /proc/meminfo /proc/version /etc/os-release", undefined],
	["cat /proc/version/../1/environ", "cat with /proc"],
	["head -c 3 /dev/stdin", "head with /dev"],
	["gawk 1 /inet/tcp/0/x/1", "gawk"],
	["awk 1 x=/etc/passwd", "only awk knows"],
	["git diff /dev/null x", "git diff with /dev/null"],
	["git log -- :/x", "git log with :/x"],
	["git show HEAD:../x", "git show with HEAD:../x"],
	["git reset main src", "git reset with main"],
	["base64 f", undefined],
	["base64 -d f", "base64 with -d"],
	["base64 -iw f", "base64 with -iw"],
	["strings -n 8 f", undefined],
	["strings a @f", "strings with @f"],
	["strings @*", "strings with @*"],
	["paste -d, a b", undefined],
	["fold -sw 80 f", undefined],
	["shuf -n 3 f", undefined],
	["shuf -o g f", "shuf with -o"],
	["shuf --random-source=g f", "shuf with --random-source"],
	["git config user.name", undefined],
	["git config --global branch.a/b.remote", undefined],
	["git config user.name x", "git config with x"],
	["git config edit", "git config with edit"],
	["git config --edit", "git config with --edit"],
	["git config -f x user.name", "git config with -f"],
	["git show-ref --heads v1", undefined],
	["git show-ref --exclude-existing", "git show-ref with --exclude-existing"],
	["git symbolic-ref --short HEAD", undefined],
	["git symbolic-ref HEAD refs/heads/x", "git symbolic-ref with refs/heads/x"],
	["git symbolic-ref -d HEAD", "git symbolic-ref with -d"],
	["git diff-tree --no-commit-id --name-only -r HEAD", undefined],
	["git diff-tree --ext-diff HEAD", "git diff-tree with --ext-diff"],
	["git diff-tree --output=x HEAD", "git diff-tree with --output"],
	["git name-rev --name-only HEAD", undefined],
	["git name-rev --annotate-stdin", "git name-rev with --annotate-stdin"],
	["git cherry -v main", undefined],
	["git count-objects -vH", undefined],
	["git submodule status", "git submodule is not"],
	["cp -r a b", "cp with -r"],
	["cp src/* d", "cp with src/*"],
	["mv a/.. b", "mv with a/.."],
	["tee", undefined],
	// A pattern may give a name that is an option.
	["cat *", "a name that * matches may be taken for an option; write ./*"],
	["rm -f *", "with *"],
	["stat -c %n *.txt", "a name that *.txt matches may be taken for an option; write ./*.txt"],
	["uniq *", "uniq with *"],
	["find . -name *", "find with -name"],
	["wc -l -- *", undefined],
	["wc -l ./*", undefined],
	// Behind an operand it is a file for some, and for those that write it is asked about.
	["mkdir a -p", "mkdir with -p"],
	["awk 1 f -f g", "awk with -f"],
	// Programs inside of others.
	["find . -exec rm {} +", "find with rm"],
	["find . -exec awk {} +", "awk with {}"],
	["find . -exec git diff {} +", "find with git diff"],
	["find . -execdir cat {} +", "find with -execdir"],
	["find . -exec cat x{} ';'", "find with -exec"],
	["timeout 5 cat f", "timeout is not"],
	["command ls", "command with"],
	// Languages.
	["sed 's/[/a/;s,],/b/w x,c,' f", "sed with"],
	["sed -e p -e 'w x' f", "sed with -e"],
	["sed p f -e 'w x'", "sed with -e"],
	["sed -f s f", "sed with -f"],
	["awk 'BEGIN{ARGV[1]=\"/etc/passwd\"}1' f", "awk with"],
	["awk 'BEGIN{print ENVIRON[\"KEY\"]}'", "awk with"],
	["awk '{ print > \"x\" }' f", "awk with"],
	["awk -v ARGC=1 1 f", "awk with -v"],
	["awk '/a|b/' f", undefined],
	["awk '/^(a|b)/ || $2 ~ /x|[y>z]/ {print $1}' f", undefined],
	["awk '{ if ($1 > 3) print; while (i > 3 && (j > 2)) i-- }' f", undefined],
	["awk '{ print \"a | b > c\" }' f", undefined],
	["awk '{ n++ } $1 > 3 { print } END { print n }' f", undefined],
	["awk '{ x[$1] } NR > 2 || /a\\/b|c/' f", undefined],
	["awk '{ print a > b }' f", "awk with"],
	["awk '{ print (a) > b }' f", "awk with"],
	["awk '{ print (a > b) }' f", "awk with"],
	["awk '{ if (a > b) print > \"x\" }' f", "awk with"],
	["awk '{ if (a) print > b; if (c) d }' f", "awk with"],
	["awk '{ for (print a > b;;) c }' f", "awk with"],
	["awk '{ print a::if (b > c) }' f", "awk with"],
	["awk '{ print a | b }' f", "awk with"],
	["awk '{ print a |||b }' f", "awk with"],
	["awk '{ print a /b|\"sh\"/ c }' f", "awk with"],
	['awk \'{ if (1) /"/; print "|" | "sh" }\' f', "awk with"],
	["awk '{ print a[1] /2|\"sh /\" }' f", "awk with"],
	["awk '{ print 1 # /\n | \"sh\" # /\n}' f", "awk with"],
	['awk \'/[/]|"/ { print | "sh" }\' f', "awk with"],
	['awk \'/[[]|"/ { print "|" "sh" }\' f', "awk with"],
	["awk '/a\\\\/ { print | \"sh\" } /b/' f", "awk with"],
	["awk '{ print } } { x > \"y\" }' f", "awk with"],
	["awk -v OFS='\\t' -v RS= '{print $1}' f", undefined],
	["awk -v 'FS=\\x41' 1 f", "awk with -v"],
	["git blame -L '/x/,+2' f", undefined],
	["git blame -L '/a\\/,/b/:../x' f", "git blame with -L"],
	["sed -n '/x/{p;q}' f", undefined],
	["sed '$!{s/a;b/c/;p;}' f", "sed with"],
	["sed '1,/x/{s/a/b/;p;}' f", undefined],
	["sed '/x/{w y}' f", "sed with"],
	["sed '/x/{p;w y' f", "sed with"],
	["sed '/x/{s/a/b/e}' f", "sed with"],
	["sed '/x/{p};w y' f", "sed with"],
	["sed '/[/]x/{p;w y}' f", "sed with"],
	["jq -n env", "jq with env"],
	["jq -n '\"\\(env)\"'", "jq with"],
	["jq -n '$ENV.KEY'", "jq with"],
	["jq 'import \"a\" as $a; .'", "jq with"],
	["jq -n '$__prog_args'", "jq with"],
	["jq -n '$#\nENV'", "jq with"],
	["jq -n '$ # x\n__prog_args'", "jq with"],
	["jq -f f", "jq with -f"],
	["jq --rawfile a b .", "jq with --rawfile"],
	["jq .env.KEY package.json", undefined],
	["git log --format='%G?'", ""],
	["git log --format=x", "git log with --format=x is"],
	["git log --format %G?", "git log with --format %G? is"],
	["git blame -L x f", "git blame with -L x is"],
	["head -n x f", "head with -n x is"],
	["head -c", "head with -c is"],
	["git for-each-ref --format='%(signature)'", ""],
	["date -d 'TZ=\"/etc/passwd\" now'", "date with -d"],
	["printf '%(%F)T'", "printf with"],
] as const)("%s is asked about: %s", (command, reason) => {
	if (reason === undefined) expect(whyAsked(command)).toBeUndefined();
	else expect(whyAsked(command)).toContain(reason);
});

test("a name that is longer than any file's is asked about, in linear time", () => {
	const before = process.cpuUsage();
	expect(whyAsked(`cat ${"a/".repeat(60_000)}x`)).toContain("longer than that of any file");
	expect(whyAsked(`cat ${"a/../".repeat(25_000)}x`)).toContain("longer than that of any file");
	expect(whyAsked(`awk '${"{".repeat(120_000)}'`)).toContain("only awk knows");
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 1e6).toBeLessThan(2);
});

test("a pattern of files is one where no name in the directory is an option, and nothing else is", () => {
	const reasonOf = (command: string): string | undefined => {
		const { intricate, unknown, programs } = commandFacts(command, { ...place, areNames: true });
		return intricate ?? unknown ?? programs.find(({ unlisted }) => unlisted !== undefined)?.unlisted;
	};
	const commands = [
		"cat *",
		"sort *.txt",
		"grep -rn x *",
		'for f in *.md a; do wc -l "$f"; done',
		"file [a-z]*",
	];
	for (const command of commands) expect([command, reasonOf(command)]).toEqual([command, undefined]);
	for (const command of [
		"rm -f *",
		"cp * d",
		"git add *",
		"git log *",
		"test -f *",
		"uniq *",
		"grep *",
		"find . -name *",
		"head -n *",
		"*",
		"timeout 5 cat *",
		"cat */../../x",
		"cat -*",
		"cat +*",
		"cat $x*",
		'for f in *; do rm "$f"; done',
		'for f in *; do cat "-$f"; done',
		'for f in -* a; do cat "$f"; done',
		"for f in *; do cat $f; done",
	])
		expect([command, reasonOf(command)]).toEqual([command, expect.any(String)]);
});

test("what may be a file behind an operand, and the file of a revision, count as read", () => {
	const { reads } = commandFacts("grep x f -A 3 && git show HEAD:.env", place);
	for (const name of ["-A", "3", ".env"]) expect(reads).toContain(`${place.cwd}/${name}`);
	expect(commandFacts("git -C sub show HEAD:.env", place).reads).toContain(`${place.cwd}/sub/.env`);
});

const bases = [
	"ls -la",
	"cat f",
	"head -n 3",
	"tail -5 f",
	"wc -l f",
	"grep -rn x",
	"rg x",
	"find . -name a",
	"sort -u",
	"uniq",
	"cut -d: -f1",
	"diff a",
	"comm -12 a",
	"stat",
	"du -sh",
	"tree -L 2",
	"jq .",
	"sed -n 1p",
	"awk '{print}'",
	"md5sum",
	"mkdir -p",
	"touch",
	"cp a",
	"mv a",
	"rm -f",
	"tee",
	"git log",
	"git diff",
	"git show HEAD",
	"git grep x",
	"git blame f",
	"git add",
	"git status",
	"git ls-files",
	"git stash list",
	"date",
	"file",
	"readlink -f",
];
const outside = ["../x", "~/x", "/x/y", "a/../../x", "../*.c", "~/*", "/x/{a,b}", "./../x"];
const words = outside.concat([
	"--x",
	"-x",
	"-o",
	"-f",
	"@x",
	"x=y",
	"+x",
	"-",
	"--",
	"*",
	"?x",
	"[a]x",
	"{a,b}",
	"-{a,o}",
	"--x=../x",
	"-o../x",
	"-f~/x",
	"--file=/x/y",
	"--output=../x",
	"HEAD:x",
	":/x",
	":(top)x",
	"'*'",
	"'~/x'",
	"\\-x",
]);

test("no random words make a command run unasked with a file outside that nobody has listed", () => {
	let seed = 1;
	const pick = <Item>(items: readonly Item[]): Item => {
		seed = (seed * 48271) % 2147483647;
		return items[seed % items.length] as Item;
	};
	const missed: string[] = [];
	let unasked = 0;
	for (let count = samples(20_000); count > 0; count--) {
		const added = Array.from({ length: 1 + (count % 3) }, () => pick(words));
		const command = [pick(bases), ...added].join(" ");
		if (whyAsked(command) !== undefined) continue;
		unasked++;
		const { reads, readTrees, readGlobs, treeGlobs, writes } = commandFacts(command, place);
		const listed = [...reads, ...readTrees, ...readGlobs, ...treeGlobs, ...writes.map(({ path }) => path)];
		const isListed = listed.some((path) => path === undefined || !path.startsWith(`${place.cwd}/`));
		const leadsOut = added.some((word) => outside.includes(word));
		const isUnlisted = added.some((word) => /^(?:--[a-z]|-[of][.~])/u.test(word));
		// After `--`, everything is a file.
		if ((leadsOut && !isListed) || (isUnlisted && !added.includes("--"))) missed.push(command);
	}
	expect(missed).toEqual([]);
	expect(unasked).toBeGreaterThan(samples(20_000) * 0.05);
});

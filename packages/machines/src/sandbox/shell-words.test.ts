/** Which words of a script count: a line is left out only if it can read nothing. */
import { expect, test } from "bun:test";

import { wordsOf } from "./shell-words.ts";

const closed = [
	"# source ./v.sh",
	"export A=1 # . ./v.sh",
	'export A="x y" B=2',
	"A='./v.sh'",
	'export PATH="$PWD/bin:${PATH}" LOG=$PWD/v.sh',
	"watch_file ./v.sh",
	'PATH_add "$PWD/bin" ./v.sh',
	"layout python ./v.sh",
	"strict_env",
];

test.each(closed)("nothing is read by: %s", (line) => {
	expect(wordsOf(`${line}\n`).used).toEqual([]);
});

const open = [
	". ./v.sh",
	"export X=1; . ./v.sh",
	"export X=1 \\\n Y=2; . ./v.sh",
	"watch_file ./v.sh && source ./v.sh",
	"PATH_add bin | . ./v.sh",
	'A="$(. ./v.sh)"',
	"A=`. ./v.sh`",
	'A="\n# "; . ./v.sh',
	"cat <<'X'\ndon't\nX\n# ' . ./v.sh",
	"A=$'\\'' # '\n. ./v.sh",
	"A=1 . ./v.sh",
	"A=${B:-$(. ./v.sh)}",
	"layout_x() { . ./v.sh; }",
	"a#b . ./v.sh",
	"export PATH=$(. ./v.sh):$PATH",
	'bash -c "source ./v.sh"',
];

test.each(open)("a file is named by: %s", (line) => {
	expect(wordsOf(`${line}\n`).used).toContain("./v.sh");
});

test("names may have blanks, quotes and any letters", () => {
	const names = ["my env/vars.sh", "my tools/it.sh", "vars,dev.sh", "umgebüng.sh", "it's.sh", "odd\r"];
	const text = `source "my env/vars.sh"\n. my\\ tools/it.sh\nsource vars,dev.sh; . umgebüng.sh\n. "it's.sh"\n. odd\r\n`;
	expect(wordsOf(`bash -c 'source "my env/v.sh"'`).read.map(({ word }) => word)).toContain("my env/v.sh");
	const { read } = wordsOf(text);
	expect(names.filter((name) => !read.some(({ word }) => word === name))).toEqual([]);
});

test("what is read is known wherever a command begins", () => {
	const texts = [
		"if [ -f x ]; then . ./v.sh; fi",
		"[ -f ./v.sh ] && source ./v.sh",
		"for f in a; do . ./v.sh; done",
		"X=1 builtin source ./v.sh",
		'bash -c "source ./v.sh"',
		"(source_env ./v.sh)",
		`bash -c 'source "./v.sh"'`,
	];
	expect(texts.filter((text) => !wordsOf(text).read.some(({ word }) => word === "./v.sh"))).toEqual([]);
	expect(wordsOf("find . -name v.sh").read).toEqual([]);
	const runs = (text: string): string[] => wordsOf(text).run.map(({ word }) => word);
	expect(runs('eval "$(cd "$(t/where)" && ./run.sh --x)"')).toEqual(["t/where", "./run.sh"]);
	expect(runs('export A="$PWD/out.txt $B/x" B=$(cat t/data); echo "t/x y" > t/out')).toEqual([]);
});

test.each(["$(", '"', "'", "${", "`", "# ", "\\", "A=1 ", "a/", "[", ". x;"])(
	"long lines of %s are read in the time that they take",
	(part) => {
		expect(wordsOf(part.repeat(20_000)).used.length).toBeLessThan(60_001);
	},
);

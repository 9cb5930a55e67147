/** A second reading of the same text, which shares nothing with the parser. */
import { expect, test } from "bun:test";

import { commandFacts } from "./index.ts";
import { readsAlike } from "./plain-lexer.ts";
import { parseScript } from "./syntax/parser.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

test.each([
	"ls -la 'a b' \"c d\" e\\ f # a comment",
	"ls \\\n  -la \\\n  src",
	"a && b || c; d | e & f\ng",
	"NODE_ENV=test sort -u < f > g 2>&1",
	"> f cat",
	"if [ -f x ]; then cat x; elif ls; then :; else (cd a; ls); fi",
	'for f in src/*.ts b; do\n  wc -l "$f"\ndone',
	"{ ls; pwd; }",
	"! grep -q x f",
	"time ls",
	"ls |& cat",
	"cat > f <<'EOF'\n$(x) 'a\nEOF\nls",
	"cat <<A <<'B'\na\nA\nb\nB",
	"grep 'a$' f; echo \"$HOME/x$\"",
])("%j is read alike", (text) => {
	expect(readsAlike(text, parseScript(text))).toBe(true);
});

test.each([
	["ls a", "ls b"],
	["ls 'a;touch b'", "ls a;touch b"],
	["ls # touch b", "ls; touch b"],
	["cat <<'E'\nE\ntouch b", "cat <<'E'\ntouch b\nE"],
	["ls a b", "ls 'a b'"],
	["ls > f", "ls f"],
	["for f in a; do ls; done", "for g in a; do ls; done"],
])("a mistake of the parser shows: %j is not %j", (text, parsed) => {
	// Redirections are compared as words: the walk lists which of them writes.
	expect(readsAlike(text, parseScript(parsed))).toBe(text === "ls > f");
});

test.each([
	"cat <<E\nE\\\n\nE",
	"cat <<E\n$HOME\nE",
	"cat <<-E\n\tE",
	"ls\\\n -la",
	"ls <> f",
	'echo "a`ls`"',
	"cat <<'E F'\na\nE F",
])("%j is not read at all", (text) => {
	expect(commandFacts(text, place).intricate).toBeDefined();
});

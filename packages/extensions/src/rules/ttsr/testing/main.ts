/** Hears one long answer with many rules, for the benchmark: prints the rules and the milliseconds that it took. */
import { StreamRules } from "../stream-rules.ts";
import { StreamWatch } from "../stream-watch.ts";

const answerChars = 200_000;
const deltas = 4000;
const rules = 200;

const shapes: readonly ((n: number) => string)[] = [
	(n) => `legacyCall${n}\\(`,
	(n) => `import .* from ['"]package-${n}['"]`,
	(n) => `(?i)\\bdeprecated${n}\\b`,
	(n) => `new Thing${n}\\([^)]*\\)(?!;)`,
	// The word of one does occur in the text, so that it is followed.
	(n) => (n === 4 ? `settle\\(\\d` : `(?:old|former)Helper${n}`),
];

const line =
	"The parser reads each line once, keeps what is finished and lays out the open block; see layout.ts.\n";
const code =
	"export function settle(rows: readonly string[]): string[] { return rows.map((row) => row.trim()); }\n";
const text = `${line}${code}\n`.repeat(Math.ceil(answerChars / (line.length + code.length)));

const conditions = Array.from({ length: rules }, (_, n) => shapes[n % shapes.length]?.(n) ?? "");
const found = conditions.map((condition, n) => ({
	name: `rule-${n}`,
	path: `rule-${n}.md`,
	level: "user" as const,
	content: "x",
	condition: [condition],
}));
const { conditions: compiled } = new StreamRules(found, "/");
const size = answerChars / deltas;
const started = performance.now();
const watch = new StreamWatch(compiled, () => true);
for (let at = 0; at < answerChars; at += size) watch.push(text.slice(at, at + size));
const ms = performance.now() - started;
process.stdout.write(JSON.stringify({ ms, conditions, answerChars, deltas }));

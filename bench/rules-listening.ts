/** Hears one answer with all rules, and prints the milliseconds that took. */
import { StreamRules } from "../packages/coding-agent/src/session/behaviors/ttsr/stream-rules.ts";
import { StreamWatch } from "../packages/coding-agent/src/session/behaviors/ttsr/stream-watch.ts";
import { answer, answerChars, conditionOf, deltas, rules } from "./rules-listened-to.ts";

const found = Array.from({ length: rules }, (_, n) => ({
	name: `rule-${n}`,
	path: `rule-${n}.md`,
	level: "user" as const,
	content: "x",
	condition: [conditionOf(n)],
}));
const { conditions } = new StreamRules(found, "/");
const text = answer();
const size = answerChars / deltas;
const started = performance.now();
const watch = new StreamWatch(conditions, () => true);
for (let at = 0; at < text.length; at += size) watch.push(text.slice(at, at + size));
process.stdout.write(String(performance.now() - started));

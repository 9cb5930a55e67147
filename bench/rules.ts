/** What 200 stream rules cost while a long answer comes, beside the answer itself: a session that hears it from a model. */
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const answerChars = 200_000;
const deltas = 4000;
const rules = 200;
const rounds = 7;

interface Measured {
	/** Hearing the answer without rules. */
	streamMs: number;
	rulesMs: number;
	halfMs: number;
	compileMs: number;
}

export async function streamRules(): Promise<Row[]> {
	const { streamMs, rulesMs, halfMs, compileMs } = await measureInChild();
	return [
		{
			name: `${rules} rules over ${answerChars / 1000} KB in ${deltas} deltas`,
			value: rulesMs,
			unit: "ms",
			// 2 % of the second that the screen may take for such an answer; no model says it in less.
			budget: 20,
			beside: times(rulesMs, streamMs, "hearing it, without a screen"),
		},
		{ name: "twice as long an answer", value: rulesMs / halfMs / 2, unit: "of linear", budget: 1.4 },
		{ name: `compiling ${rules} rules`, value: compileMs, unit: "ms", budget: 20 },
	];
}

/** A process of its own: the matcher is measured as it is inside the application, behind the package's door. */
async function measureInChild(): Promise<Measured> {
	const at = (path: string) => JSON.stringify(join(import.meta.dir, "../packages", path));
	const code = `
		import { playModel } from ${at("ai/src/testing/index.ts")};
		import { testModel, testSession } from ${at("coding-agent/src/testing/session.ts")};
		import { AnswerWatch } from ${at("coding-agent/src/session/behaviors/ttsr/answer-watch.ts")};
		import { StreamRules } from ${at("coding-agent/src/session/behaviors/ttsr/stream-rules.ts")};
		const line = "The parser reads each line once, keeps what is finished and lays out the open block; see layout.ts.\\n";
		const code = "export function settle(rows: readonly string[]): string[] { return rows.map((row) => row.trim()); }\\n";
		const whole = (line + code + "\\n").repeat(Math.ceil(${answerChars} / (line.length + code.length))).slice(0, ${answerChars});
		const shapes = [
			(n) => "legacyCall" + n + "\\\\(",
			(n) => "import .* from ['\\"]package-" + n + "['\\"]",
			(n) => "(?i)\\\\bdeprecated" + n + "\\\\b",
			(n) => "new Thing" + n + "\\\\([^)]*\\\\)(?!;)",
			// Their words do occur in the text, so that they are followed to the end of its lines.
			(n) => (n % 50 === 4 ? "function\\\\s+settle" + n + "\\\\b" : "(?:old|former)Helper" + n),
		];
		const list = Array.from({ length: ${rules} }, (_, n) => ({
			name: "rule-" + n, path: "/r.md", level: "project", content: "x", condition: [shapes[n % shapes.length](n)],
		}));
		const pieces = (text) => Array.from({ length: ${deltas} }, (_, n) => text.slice(Math.floor((n * text.length) / ${deltas}), Math.floor(((n + 1) * text.length) / ${deltas})));
		const message = { content: [] };
		const watched = (rules) => new AnswerWatch({ rules, maySpeak: () => true, told() {} });
		const hear = (rules, list) => {
			const watch = watched(rules);
			for (const delta of list) if (watch.hear({ type: "text_delta", contentIndex: 0, delta }, message)) throw new Error("a rule spoke");
			watch.hear({ type: "text_end", contentIndex: 0 }, message);
		};
		const middle = async (work) => {
			const samples = [];
			for (let round = -2; round < ${rounds}; round++) {
				const started = performance.now();
				await work();
				if (round >= 0) samples.push(performance.now() - started);
			}
			return samples.toSorted((a, b) => a - b)[${rounds} >> 1];
		};
		const compiled = new StreamRules(list, "/");
		if (compiled.problems.length > 0) throw new Error(compiled.problems.join());
		const long = pieces(whole);
		const half = long.slice(0, ${deltas} / 2);
		await using played = await playModel({ steps: [{ answer: { blocks: [{ text: whole, chunks: ${deltas} }] }, times: "always" }] });
		const stream = async () => {
			using session = testSession(testModel({ baseUrl: played.anthropicUrl }));
			await session.prompt({ text: "go" });
		};
		process.stdout.write(JSON.stringify({
			streamMs: await middle(stream),
			rulesMs: await middle(() => hear(compiled, long)),
			halfMs: await middle(() => hear(compiled, half)),
			compileMs: await middle(() => new StreamRules(list, "/")),
		}));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		cwd: import.meta.dir,
	});
	const [ended, out, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
	if (ended !== 0) throw new Error(`measuring rules ended with ${ended}: ${errors.trim()}`);
	return JSON.parse(out) as Measured;
}

/** Writes sessions of several programs with known usage, and what a naive reader makes of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Corpus {
	sessions: number;
	answers: number;
	bytes: number;
	/** Dollars, as the lines say them. */
	cost: number;
}

export interface CorpusOptions {
	home: string;
	sessions: number;
	/** Of a session; each has a call of a tool and its result. */
	answers: number;
	/** Of the text of an answer, and of a result. */
	textBytes: number;
}

const words = "The quick brown fox jumps over the lazy dog while the build runs and the tests pass. ";
const models = [
	["anthropic", "claude-sonnet-4-5", 3, 15],
	["anthropic", "claude-opus-4-5", 5, 25],
	["openai", "gpt-5.2", 1.75, 14],
	["google", "gemini-3-pro", 2, 12],
] as const;
const tools = ["bash", "read", "edit", "grep"] as const;
const start = Date.parse("2026-08-01T00:00:00.000Z");
const sessionMs = 13 * 60_000;

/** Sessions of Tau, a session a file, over ninety days and twenty projects. */
export function writeCorpus({ home, sessions, answers, textBytes }: CorpusOptions): Corpus {
	const text = words.repeat(Math.ceil(textBytes / words.length)).slice(0, textBytes);
	const corpus: Corpus = { sessions, answers: 0, bytes: 0, cost: 0 };
	const root = join(home, ".tau/agent/sessions");
	for (let number = 0; number < sessions; number++) {
		const project = `/home/user/work/project-${number % 20}`;
		const directory = join(root, `--home-user-work-project-${number % 20}--`);
		mkdirSync(directory, { recursive: true });
		const began = start + number * sessionMs;
		const id = `0193b0f0-${hex(number)}-7000-8000-${hex(number).padStart(12, "0")}`;
		const name = new Date(began).toISOString().replaceAll(/[:.]/g, "-");
		const lines = sessionLines({ number, project, began, id, answers, text }, corpus);
		const bytes = `${lines.join("\n")}\n`;
		corpus.bytes += bytes.length;
		writeFileSync(join(directory, `${name}_${id}.jsonl`), bytes);
	}
	return corpus;
}

interface SessionPlan {
	number: number;
	project: string;
	began: number;
	id: string;
	answers: number;
	text: string;
}

function sessionLines({ number, project, began, id, answers, text }: SessionPlan, corpus: Corpus): string[] {
	const [provider, model, inputPrice, outputPrice] = models[number % models.length] ?? models[0];
	const iso = (at: number): string => new Date(at).toISOString();
	let parent: string | null = null;
	let count = 0;
	const entry = (at: number, message: object): string => {
		const own = hex(count++);
		const line = JSON.stringify({ type: "message", id: own, parentId: parent, timestamp: iso(at), message });
		parent = own;
		return line;
	};
	const lines = [JSON.stringify({ type: "session", version: 3, id, timestamp: iso(began), cwd: project })];
	lines.push(entry(began, { role: "user", content: `Task ${number}: ${words}`, timestamp: began }));
	for (let turn = 0; turn < answers; turn++) {
		const at = began + 1000 + turn * 20_000;
		const call = `toolu_${hex(number)}${hex(turn)}`;
		const tool = tools[(number + turn) % tools.length];
		const usage = usageOf(number, turn, inputPrice, outputPrice);
		corpus.answers++;
		corpus.cost += usage.cost.total;
		const isFailed = (number * 31 + turn) % 97 === 0;
		const content = [
			{ type: "text", text },
			{ type: "toolCall", id: call, name: tool, arguments: { command: "ls" } },
		];
		lines.push(
			entry(at, {
				role: "assistant",
				content,
				api: "anthropic-messages",
				provider,
				model,
				usage,
				stopReason: isFailed ? "error" : "toolUse",
				...(isFailed ? { errorMessage: "The server is overloaded." } : {}),
				timestamp: at,
				durationMs: 2000 + ((number * 7 + turn * 13) % 9000),
			}),
			entry(at + 500, {
				role: "toolResult",
				toolCallId: call,
				toolName: tool,
				content: [{ type: "text", text }],
				isError: (number + turn) % 29 === 0,
				timestamp: at + 500,
				durationMs: 40 + (turn % 7) * 11,
			}),
		);
	}
	return lines;
}

function usageOf(number: number, turn: number, inputPrice: number, outputPrice: number) {
	const input = 100 + ((number * 17 + turn * 131) % 4000);
	const output = 50 + ((number * 29 + turn * 71) % 2000);
	const cacheRead = 1000 * turn + (number % 1000);
	const cacheWrite = 300 + (turn % 5) * 100;
	const cost = {
		input: (input * inputPrice) / 1e6,
		output: (output * outputPrice) / 1e6,
		cacheRead: (cacheRead * inputPrice * 0.1) / 1e6,
		cacheWrite: (cacheWrite * inputPrice * 1.25) / 1e6,
	};
	const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
	const totalTokens = input + output + cacheRead + cacheWrite;
	return { input, output, cacheRead, cacheWrite, totalTokens, cost: { ...cost, total } };
}

function hex(value: number): string {
	return value.toString(16).padStart(8, "0");
}

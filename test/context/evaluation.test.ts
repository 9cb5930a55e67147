/** Twenty long conversations with planted constraints, decisions and todos: which of them remain after compactions. */
import { expect, test } from "bun:test";

import type { AgentMessage, AgentTool } from "@tau/agent";
import type { Message } from "@tau/ai";
import { playModel } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import { convertToLlm } from "@tau/session/run";
import type { ToolEnv } from "@tau/tools/tool";
import { builtinTools } from "@tau/integrations/builtin";
import { sessionUrls } from "@tau/tools/urls";

import { answer, compactionFixture, filler, summing, use } from "../support/compaction.ts";
import { testToolEnv } from "../support/tool-env.ts";

const conversations = 20;
const rounds = 5;
const checkedAfter = new Set([1, 2, 5]);

/** A linear congruential generator: the conversations are the same in each run. */
function random(seed: number): (below: number) => number {
	let state = seed * 2_654_435_761 + 1;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return Math.floor((state / 2 ** 31) * below);
	};
}

interface Planted {
	/** Texts that have to remain word for word. */
	constraints: string[];
	decisions: string[];
	openTodos: Set<string>;
	/** In the output of tools: within reach by an address. */
	findings: { id: string; text: string }[];
}

/** Appends some turns to the log and plants facts on the way, at the beginning, in the middle and in long messages. */
class Planter {
	readonly planted: Planted = { constraints: [], decisions: [], openTodos: new Set(), findings: [] };
	readonly #log: SessionManager;
	readonly #name: string;
	readonly #pick: (below: number) => number;
	#count = 0;
	#closed = 0;
	readonly #tasks: string[] = [];

	constructor(log: SessionManager, seed: number) {
		this.#log = log;
		this.#name = `c${seed}`;
		this.#pick = random(seed);
	}

	turns(number: number): void {
		for (let turn = 0; turn < number; turn++) {
			this.#constrain();
			const calls = 1 + this.#pick(4);
			for (let call = 0; call < calls; call++) this.#find(`cat ${call}`);
			if (this.#pick(3) === 0) this.#decide();
			if (this.#pick(2) === 0) this.#plan();
			this.#log.appendMessage(answer([{ type: "text", text: `Done. ${filler(this.#pick(400))}` }]));
		}
	}

	#id(): string {
		return `${this.#name}-${this.#count++}`;
	}

	#constrain(): void {
		const forms = [
			(id: string) => `Never edit src/${id}.ts.`,
			(id: string) => `The limit for ${id} is ${this.#pick(10_000)} ms, "exactly"; \`${id}\` <must> stay.`,
			(id: string) => `Vergiss nicht: ${id} heißt überall „${id}“ 🙂.`,
		];
		const constraint = (forms[this.#pick(forms.length)] ?? String)(this.#id());
		const [before, after] = [filler(this.#pick(60)), filler(this.#pick(60))];
		this.planted.constraints.push(constraint);
		const content = `${before} ${constraint} ${after}`;
		this.#log.appendMessage({ role: "user", content, timestamp: Date.now() });
	}

	#find(command: string): void {
		const text = `The port of ${this.#id()} is ${1024 + this.#pick(60_000)}.`;
		const output = `${filler(this.#pick(1500))} ${text} ${filler(500 + this.#pick(1500))}`;
		use(this.#log, this.#id(), "bash", { command }, output);
		this.planted.findings.push({ id: this.#log.getLeafId() ?? "", text });
	}

	#decide(): void {
		const question = `Which way for ${this.#id()}?`;
		const chosen = `way ${this.#pick(100)} of ${this.#id()}`;
		this.planted.decisions.push(`${question} ${chosen}`);
		const details = { questions: [{ id: "1", question }], answers: [{ id: "1", chosen: [chosen] }] };
		this.#result("ask", details);
	}

	/** Adds tasks, and closes some of the oldest. */
	#plan(): void {
		this.#tasks.push(`task ${this.#id()}`, `task ${this.#id()}`);
		this.#closed += this.#pick(2);
		const tasks = this.#tasks.map((content, index) => ({
			content,
			status: index < this.#closed ? "completed" : "pending",
		}));
		this.planted.openTodos = new Set(this.#tasks.slice(this.#closed));
		this.#result("todo", { phases: [{ name: "Work", tasks }] });
	}

	#result(toolName: string, details: unknown): void {
		const toolCallId = this.#id();
		this.#log.appendMessage(answer([{ type: "toolCall", id: toolCallId, name: toolName, arguments: {} }]));
		const content = [{ type: "text" as const, text: "ok" }];
		const message = { role: "toolResult" as const, toolCallId, toolName, content, details, isError: false };
		this.#log.appendMessage({ ...message, timestamp: Date.now() } satisfies AgentMessage);
	}
}

function textOf({ content }: Message): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** What the model reads. */
function contextOf(log: SessionManager): string {
	return convertToLlm(log.buildSessionContext().messages).map(textOf).join("\n");
}

/** What the model gets when it reads an address. */
function readAddress(log: SessionManager, rest: string, env: ToolEnv): string {
	const read = sessionUrls(log).resolve(rest, env, AbortSignal.timeout(1000));
	return "text" in read ? read.text : "";
}

/** Searched for by its subject, and read: the model knows what it looks for, not where it is. */
function isFound(log: SessionManager, finding: string, env: ToolEnv): boolean {
	const subject = /of (\S+) is/.exec(finding)?.[1] ?? "";
	const ids = [...readAddress(log, `find/${subject}`, env).matchAll(/session:\/\/(\S+)/g)].map(
		([, id]) => id,
	);
	return ids.some((id) => readAddress(log, id ?? "", env).includes(finding));
}

test("all constraints, decisions and open todos remain after one, two and five compactions with worthless summaries, and findings of tools are within reach", async () => {
	await using played = await playModel({
		steps: [{ when: summing, answer: "Some work was done.", times: "always" }],
	});
	await using env = await testToolEnv();
	const tools: AgentTool[] = builtinTools.map((tool) => tool.bind(env));
	const lost: string[] = [];
	let checked = 0;
	for (let seed = 0; seed < conversations; seed++) {
		const log = SessionManager.inMemory("/work");
		const conversation = new Planter(log, seed);
		using on = compactionFixture(played, {
			log,
			model: { contextWindow: 200_000 },
			settings: { keepRecentTokens: 5000 },
			session: { tools },
		});
		for (let round = 1; round <= rounds; round++) {
			conversation.turns(12);
			await on.session.compact();
			if (!checkedAfter.has(round)) continue;
			const context = contextOf(log);
			const { constraints, decisions, openTodos, findings } = conversation.planted;
			const facts = [...constraints, ...decisions, ...[...openTodos].map((task) => `- [ ] ${task}`)];
			checked += facts.length;
			lost.push(
				...facts.filter((fact) => !context.includes(fact)).map((fact) => `${seed}/${round}: ${fact}`),
			);
			expect(context).toContain("session://find/<text>");
			const listed = readAddress(log, "results", env);
			checked += findings.length;
			const unreachable = findings.filter(
				({ id, text }, index) =>
					!listed.includes(`session://${id} `) ||
					!readAddress(log, id, env).includes(text) ||
					// A search reads the whole conversation: some are enough.
					(index % 20 === 0 && !isFound(log, text, env)),
			);
			lost.push(...unreachable.map(({ text }) => `${seed}/${round}: ${text}`));
		}
	}
	expect(lost).toEqual([]);
	expect(checked).toBeGreaterThan(2000);
});

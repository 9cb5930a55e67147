/** The hub: the agents of the session as a tree, their conversations, and the types that there are. */
import { getKeybindings, keyHint, rawKeyHint, type Theme } from "@tau/tui";
import { stripControls, timer } from "@tau/utils";
import type { AgentFacts, CommandReply } from "@tau/wire";

import { agents as row, type AgentConversation, type AgentsData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../../host.ts";
import { CommandRows } from "../../command-rows.ts";
import { drawReply, quietReply, runRow } from "../../run-row.ts";
import { agentHub } from "./hub.ts";
import { AgentTranscript } from "./transcript.ts";
import { openSelector } from "../open.ts";
import { elapsed, money, tokens } from "../../views/format.ts";

/** How often ages and costs are drawn anew. */
const beatMs = 1000;

/** `reply` is what `/agents` has replied. */
export function openHub(host: InteractiveHost, reply: CommandReply, tab: "agents" | "types"): void {
	const { client } = host;
	openSelector(host, (screen, close) => {
		const owned = new DisposableStack();
		const rows = owned.use(
			new CommandRows<AgentsData>(host, {
				row,
				reply,
				changesWith: ["child_started", "child_ended", "child_message"],
			}),
		);
		const component = agentHub(screen, {
			agents: () => client.view.facts.agents,
			types: () => rows.data.types,
			notes: () => rows.data.notes,
			queued: (id) => rows.data.queued.find((each) => each.id === id)?.texts ?? [],
			now: Date.now,
			tab,
			open: (id) => openAgent(host, id),
			stop: async (childId) => void (await client.request("abort_child", { childId })),
			async message(id, text, as) {
				const problem = await message(host, id, text, as);
				await rows.read();
				return problem;
			},
			async move(id) {
				await runRow(row, `resume ${id}`, host, (replied) => {
					close();
					drawReply(replied, host);
				});
			},
			edit: async ({ name }) => void (await runRow(row, `edit ${name}`, host)),
			create: async () => void (await runRow(row, "new", host)),
			close,
		});
		rows.onChange = () => component.refresh();
		owned.use(
			client.subscribe(({ type }) => {
				if (type === "child_progress") component.refresh();
			}),
		);
		owned.use(beat(() => component.refresh()));
		return { component, owns: owned };
	});
}

function beat(draw: () => void): Disposable {
	let next: Disposable;
	const again = (): void => {
		draw();
		next = timer(beatMs, again);
	};
	next = timer(beatMs, again);
	return { [Symbol.dispose]: () => next[Symbol.dispose]() };
}

/** Resolves with what is wrong. An agent that has ended is opened again; the hub shows how it ends. */
async function message(
	{ client }: InteractiveHost,
	childId: string,
	text: string,
	as: "steer" | "followUp",
): Promise<string | undefined> {
	try {
		await client.request("prompt_child", { childId, message: text, streamingBehavior: as });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function openAgent(host: InteractiveHost, id: string): void | Promise<void> {
	const reply = quietReply(row, `show ${id}`, host);
	return reply instanceof Promise
		? reply.then((read) => showAgent(host, id, read))
		: showAgent(host, id, reply);
}

/** `reply` is what `/agents` has replied to its name. */
export function showAgent(host: InteractiveHost, id: string, reply: CommandReply): void {
	const { client } = host;
	const { messages, answer } = reply.data as AgentConversation;
	const info = (): AgentFacts | undefined => client.view.facts.agents.find((each) => each.id === id);
	openSelector(host, (screen, close) => {
		const component = new AgentTranscript(screen, {
			view: host.viewContext,
			past: messages,
			answer,
			isRunning: isRunning(info()),
			title: (theme) => titleOf(id, info(), theme),
			hints: (theme) => hintsOf(theme, isRunning(info())),
			onKey: (data) => onKey(data, host, id),
			close,
		});
		const owned = new DisposableStack();
		owned.use(
			client.subscribe((event) => {
				if (event.type === "child_event" && event.id === id) component.onEvent(event.event);
			}),
		);
		owned.use(beat(() => screen.requestRender()));
		return { component, owns: owned };
	});
}

function isRunning(info: AgentFacts | undefined): boolean {
	return info !== undefined && info.endedAt === undefined;
}

function onKey(data: string, host: InteractiveHost, id: string): boolean {
	const keys = getKeybindings();
	const report = (work: Promise<string | undefined>): void =>
		void work.then((problem) => {
			if (problem !== undefined) host.notify(problem, "warning");
		});
	const isSteering = keys.matches(data, "app.agents.steer");
	if (isSteering || keys.matches(data, "app.agents.followUp")) {
		void host.ask.input(`Message to ${id}`).then((text) => {
			if (text !== undefined && text.trim() !== "")
				report(message(host, id, text, isSteering ? "steer" : "followUp"));
		});
		return true;
	}
	if (!keys.matches(data, "app.agents.stop")) return false;
	const stopped = host.client.request("abort_child", { childId: id });
	report(
		stopped.then(
			() => undefined,
			(error: unknown) => (error instanceof Error ? error.message : String(error)),
		),
	);
	return true;
}

function hintsOf(theme: Theme, isAtWork: boolean): string[] {
	return [
		isAtWork ? keyHint(theme, "app.agents.steer", "steer") : "",
		keyHint(theme, "app.agents.followUp", "ask more"),
		isAtWork ? keyHint(theme, "app.agents.stop", "stop") : "",
		rawKeyHint(theme, "↑↓", "scroll"),
		rawKeyHint(theme, "escape", "back"),
	];
}

function titleOf(id: string, info: AgentFacts | undefined, theme: Theme): string {
	const name = ` ${theme.bold(stripControls(id, { newline: false, tab: false }))}`;
	if (!info) return name;
	const { state, cost, tokens: count, startedAt, endedAt } = info;
	const age = elapsed((endedAt ?? Date.now()) - startedAt);
	return `${name} ${theme.fg("dim", `${state} · ${tokens(count)} tokens · ${money(cost)} · ${age}`)}`;
}

/** The hub: the agents of the session as a tree, their conversations, and the types that there are. */
import { getKeybindings, keyHint, rawKeyHint, type Theme } from "@tau/tui";
import { userTextOf } from "@tau/log";
import { tailOf, type AgentInfo, type ChildSession } from "@tau/session/host";
import { allAgents } from "@tau/tools/task";
import { stripControls, timer } from "@tau/utils";

import type { InteractiveHost } from "../../host.ts";
import { pastOf } from "../../history.ts";
import { agentLog, messageAgent, createType, editType } from "@tau/session-commands/work";
import { agentHub } from "./hub.ts";
import { AgentTranscript } from "./transcript.ts";
import { openSelector } from "../open.ts";
import { elapsed, money, tokens } from "../../views/format.ts";
import { drawReply, withTarget } from "../../run-row.ts";

/** How often ages and costs are drawn anew. */
const beatMs = 1000;

export function openHub(host: InteractiveHost, tab: "agents" | "types"): void {
	const { children } = host.sessionHost;
	openSelector(host, (screen, close) => {
		const component = agentHub(screen, {
			agents: () => children.tree.all,
			types: () => allAgents(host.env.agentTypes?.() ?? []),
			notes: () => children.tree.messages.notes,
			queued: (id) => queuedFor(children.find(id)),
			now: Date.now,
			tab,
			open: (id) => openAgent(host, id),
			stop: async (id) => failing(await children.stopAgent(id)),
			message: (id, text, as) => message(host, id, text, as),
			move: (id) => moveTo(host, id, close),
			edit: async (type) => drawReply(await withTarget(host, (target) => editType(target, type)), host),
			create: async () => drawReply(await withTarget(host, createType), host),
			close,
		});
		const owned = new DisposableStack();
		owned.use(children.tree.onChange(() => component.refresh()));
		owned.use(beat(() => component.refresh()));
		return { component, owns: owned };
	});
}

function queuedFor(child: ChildSession | undefined): string[] {
	if (!child) return [];
	const { steering, followUps } = child.host.session.state;
	return [...steering, ...followUps].filter(({ role }) => role === "user").map(userTextOf);
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

function failing(outcome: { ok: true } | { ok: false; reason: string }): void {
	if (!outcome.ok) throw new Error(outcome.reason);
}

/** How an agent that was opened again ends is shown; a problem with the message is the result. */
async function message(
	host: InteractiveHost,
	id: string,
	text: string,
	as: "steer" | "followUp",
): Promise<string | undefined> {
	try {
		const asked = await messageAgent(host.sessionHost, id, text, as);
		void asked?.outcome.then(
			({ end, reason }) => host.notify(`Agent ${id} ${end}${reason === undefined ? "" : `: ${reason}`}.`),
			(error: unknown) => host.notify(`Agent ${id} failed: ${String(error)}`, "error"),
		);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** Continues in the session of an agent that has ended, as `/resume` would. */
async function moveTo(host: InteractiveHost, id: string, close: () => void): Promise<void> {
	const { children } = host.sessionHost;
	if (children.find(id)) throw new Error(`Agent ${id} is still running. Stop it first, or open it to watch.`);
	const file = children.tree.find(id)?.sessionFile ?? children.tree.logFile(id);
	if (file === undefined) throw new Error("This session is not stored, and neither are its agents.");
	close();
	await host.move({ to: "resume", file });
}

export function openAgent(host: InteractiveHost, id: string): void {
	const { children } = host.sessionHost;
	const child = children.find(id);
	const past = child ? [...child.host.session.state.messages] : storedMessages(host, id);
	openSelector(host, (screen, close) => {
		const component: AgentTranscript = new AgentTranscript(screen, {
			view: host.viewContext,
			past,
			title: (theme) => titleOf(id, children.tree.find(id), theme),
			hints: (theme) => hintsOf(theme, children.find(id)),
			onKey: (data) => onKey(data, host, id),
			close,
		});
		const owned = new DisposableStack();
		let following = child;
		if (child) owned.use(child.host.attach({ onEvent: (event) => component.onEvent(event) }));
		// It may be opened again by a question of the user.
		owned.use(
			children.tree.onChange(() => {
				const open = children.find(id);
				if (open && open !== following)
					owned.use(open.host.attach({ onEvent: (event) => component.onEvent(event) }));
				following = open;
				screen.requestRender();
			}),
		);
		owned.use(beat(() => screen.requestRender()));
		return { component, owns: owned };
	});
}

function onKey(data: string, host: InteractiveHost, id: string): boolean {
	const keys = getKeybindings();
	const { children } = host.sessionHost;
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
	report(children.stopAgent(id).then((outcome) => (outcome.ok ? undefined : outcome.reason)));
	return true;
}

function hintsOf(theme: Theme, child: ChildSession | undefined): string[] {
	return [
		child ? keyHint(theme, "app.agents.steer", "steer") : "",
		keyHint(theme, "app.agents.followUp", "ask more"),
		child ? keyHint(theme, "app.agents.stop", "stop") : "",
		rawKeyHint(theme, "↑↓", "scroll"),
		rawKeyHint(theme, "escape", "back"),
	];
}

function titleOf(id: string, info: AgentInfo | undefined, theme: Theme): string {
	const name = ` ${theme.bold(stripControls(id, { newline: false, tab: false }))}`;
	if (!info) return name;
	const { state, cost, tokens: count, startedAt, endedAt } = info;
	const age = elapsed((endedAt ?? Date.now()) - startedAt);
	return `${name} ${theme.fg("dim", `${state} · ${tokens(count)} tokens · ${money(cost)} · ${age}`)}`;
}

function storedMessages(host: InteractiveHost, id: string): ReturnType<typeof pastOf>["messages"] {
	using log = agentLog(host.sessionHost, id);
	return pastOf(tailOf(log)).messages;
}

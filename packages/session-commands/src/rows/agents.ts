/** `/agents`: watches and steers agents, and creates their types. */
import { assertOutcome, type AgentMessageNote, type ChildSession } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { userTextOf } from "@tau/log";
import { agentsOf, type AgentType } from "@tau/tools/task";
import { log, money, tokens } from "@tau/utils";
import type { ChildInfo, CommandReply, WireAnswer, WireMessage } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { createType, editType } from "../work/agent-types.ts";
import { agentMessages, messageAgent, publicAgent } from "../work/agents.ts";
import { moveTo } from "../work/move.ts";

const usage =
	"[[show] name | types | new | edit <type> | stop <name> | message <name> <text> | resume <name>]";

export const agents: SessionCommand = {
	name: "agents",
	group: "Tools",
	argumentHint: usage,
	words: ["show", "types", "new", "edit", "stop", "message", "resume"],
	description: "Watch and steer agents; create and edit types of agents",
	right: "control",
	// A guest who may only read follows agents as well.
	shows: ["", "types", "show"],
	complete: (prefix, { host }) =>
		["types", "new", ...host.children.tree.all.map(({ id }) => id)]
			.filter((name) => name.startsWith(prefix))
			.map((name) => ({ value: name, label: name })),
	run(args, target) {
		const [, verb = "", id = "", text = ""] = /^(\S*)\s*(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
		if (verb === "") return agentList(target);
		if (verb === "types" && id === "") return typeList(target);
		if (verb === "new" && id === "") return createType(target);
		const act = id === "" ? undefined : actions[verb];
		if (act) return act(target, id, text);
		if (id !== "") throw new UserError(`Usage: /agents ${usage}`);
		return conversation(target, verb);
	},
};

const actions: Readonly<
	Record<string, (target: CommandTarget, id: string, text: string) => CommandReply | Promise<CommandReply>>
> = {
	// At once: the keys that follow are for the conversation.
	show: conversation,
	async stop({ host }, id) {
		assertOutcome(await host.children.stopAgent(id));
		return reply(`Stopped agent ${id}.`, "success");
	},
	message: send,
	async edit(target, name) {
		const type = typesOf(target).find((each) => each.name === name);
		if (!type) throw new UserError(`There is no type ${name}.`);
		return await editType(target, type);
	},
	/** Continues in the session of an agent that has ended, as `/resume` would. */
	async resume(target, id) {
		const { children } = target.host;
		if (children.find(id))
			throw new UserError(`Agent ${id} is still running. Stop it first, or open it to watch.`);
		const file = children.tree.find(id)?.sessionFile ?? children.tree.logFile(id);
		if (file === undefined) throw new UserError("This session is not stored, and neither are its agents.");
		await moveTo({ to: "resume", file }, target);
		return {};
	},
};

/** A type of agents as replies list it. */
export type TypeFacts = Pick<AgentType, "name" | "description" | "color" | "model" | "tools"> & {
	/** The file that it is from; null for a built-in one. */
	path: string | null;
};

export interface AgentsData {
	agents: readonly ChildInfo[];
	types: readonly TypeFacts[];
	/** The last messages between agents. */
	notes: readonly AgentMessageNote[];
	/** Messages of the user that agents have not read yet. */
	queued: readonly { id: string; texts: readonly string[] }[];
}

function agentList(target: CommandTarget): CommandReply {
	const { children } = target.host;
	const all = children.tree.all.map(publicAgent);
	const lines = all.map(
		(each) =>
			`${plain(each.id)}  ${each.state}, ${tokens(each.tokens)} tokens, ${money(each.cost)}  ${plain(each.task ?? each.lastAction ?? "")}`,
	);
	const data: AgentsData = {
		agents: all,
		types: typesOf(target).map(typeFacts),
		notes: [...children.tree.messages.notes],
		queued: all.flatMap(({ id }) => queuedFor(id, children.find(id))),
	};
	return { ...reply(all.length === 0 ? "No agents in this session." : lines.join("\n")), data };
}

function queuedFor(id: string, child: ChildSession | undefined): AgentsData["queued"] {
	if (!child) return [];
	const { steering, followUps } = child.host.session.state;
	const texts = [...steering, ...followUps].filter(({ role }) => role === "user").map(userTextOf);
	return texts.length === 0 ? [] : [{ id, texts }];
}

function typesOf(target: CommandTarget): readonly AgentType[] {
	return agentsOf(target.env());
}

function typeFacts({ name, description, color, model, tools, path }: AgentType): TypeFacts {
	return {
		name,
		description,
		...(color === undefined ? {} : { color }),
		...(model === undefined ? {} : { model }),
		...(tools === undefined ? {} : { tools }),
		path: path ?? null,
	};
}

function typeList(target: CommandTarget): CommandReply {
	const list = typesOf(target);
	const lines = list.map(({ name, description }) => `${plain(name)}  ${plain(description)}`);
	return { ...agentList(target), ...reply(lines.join("\n")) };
}

/** What was said; tool calls and their results are in `data`. */
function conversation({ host }: CommandTarget, id: string): CommandReply {
	const messages = agentMessages(host, id);
	const lines = messages.flatMap((message) => {
		if (message.role === "user") return [`user: ${userTextOf(message)}`];
		if (message.role !== "assistant") return [];
		return message.content.flatMap((part) => (part.type === "text" ? [`${id}: ${part.text}`] : []));
	});
	const answer = host.children.find(id)?.host.session.state.streamMessage;
	const data: AgentConversation = {
		messages,
		// It is still growing.
		...(answer?.role === "assistant" ? { answer: structuredClone(answer) } : {}),
	};
	return { ...reply(lines.join("\n\n")), data };
}

export interface AgentConversation {
	messages: readonly WireMessage[];
	/** The answer that it is writing, as far as it has come. */
	answer?: WireAnswer;
}

async function send(target: CommandTarget, id: string, text: string): Promise<CommandReply> {
	if (text === "") throw new UserError(`Usage: /agents ${usage}`);
	const asked = await messageAgent(target.host, id, text, "steer");
	// Clients see how it ends by `child_ended`.
	asked?.outcome.catch((error: unknown) => {
		log.warn("an agent that was opened again failed", { id, reason: String(error) });
	});
	return reply(`Sent to agent ${id}.`, "success");
}

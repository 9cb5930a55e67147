/** `/agents`: watches and steers agents, and creates their types. */
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { userTextOf } from "@tau/log";
import { allAgents } from "@tau/tools/task";
import { log, money, tokens } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { createType } from "../work/agent-types.ts";
import { agentMessages, messageAgent, publicAgent } from "../work/agents.ts";

export const agents: SessionCommand = {
	name: "agents",
	group: "Tools",
	argumentHint: "[name | types | new | stop <name> | message <name> <text>]",
	words: ["types", "new", "stop", "message"],
	description: "Watch and steer agents; create and edit types of agents",
	right: "control",
	shows: ["", "types"],
	complete: (prefix, { host }) =>
		["types", "new", ...host.children.tree.all.map(({ id }) => id)]
			.filter((name) => name.startsWith(prefix))
			.map((name) => ({ value: name, label: name })),
	async run(args, target) {
		const [, verb = "", id = "", text = ""] = /^(\S*)\s*(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
		if (verb === "") return agentList(target);
		if (verb === "types" && id === "") return typeList(target);
		if (verb === "new" && id === "") return await createType(target);
		if (verb === "stop" && id !== "") {
			assertOutcome(await target.host.children.stopAgent(id));
			return reply(`Stopped agent ${id}.`, "success");
		}
		if (verb === "message" && text !== "") return await send(target, id, text);
		if (id !== "")
			throw new UserError("Usage: /agents [name | types | new | stop <name> | message <name> <text>]");
		return conversation(target, verb);
	},
};

function agentList({ host }: CommandTarget): CommandReply {
	const all = host.children.tree.all.map(publicAgent);
	const lines = all.map(
		(each) =>
			`${plain(each.id)}  ${each.state}, ${tokens(each.tokens)} tokens, ${money(each.cost)}  ${plain(each.task ?? each.lastAction ?? "")}`,
	);
	return {
		...reply(all.length === 0 ? "No agents in this session." : lines.join("\n")),
		data: { agents: all },
	};
}

function typeList(target: CommandTarget): CommandReply {
	const types = allAgents(target.env().agentTypes?.() ?? []);
	return {
		...reply(types.map(({ name, description }) => `${plain(name)}  ${plain(description)}`).join("\n")),
		data: { types: types.map(({ name, description, path }) => ({ name, description, path: path ?? null })) },
	};
}

/** What was said; tool calls and their results are in `data`. */
function conversation({ host }: CommandTarget, id: string): CommandReply {
	const messages = agentMessages(host, id);
	const lines = messages.flatMap((message) => {
		if (message.role === "user") return [`user: ${userTextOf(message)}`];
		if (message.role !== "assistant") return [];
		return message.content.flatMap((part) => (part.type === "text" ? [`${id}: ${part.text}`] : []));
	});
	return { ...reply(lines.join("\n\n")), data: { messages } };
}

async function send(target: CommandTarget, id: string, text: string): Promise<CommandReply> {
	const asked = await messageAgent(target.host, id, text, "steer");
	// Clients see how it ends by `child_ended`.
	asked?.outcome.catch((error: unknown) => {
		log.warn("an agent that was opened again failed", { id, reason: String(error) });
	});
	return reply(`Sent to agent ${id}.`, "success");
}

/** Messages between the agents of a session: who is there, what to tell them, and the end of one's own. */
import type { AgentToolResult } from "@tau/agent";
import { mainAgent, type SessionSpawner } from "@tau/session/host";
import { oneLine } from "@tau/utils";
import { z } from "zod";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

/** Of a message in the line that shows the call. */
const shownChars = 160;

const parameters = () =>
	z.object({
		op: z.enum(["list", "send", "join", "leave", "stop"]),
		to: z.string().optional(),
		message: z.string().optional(),
	});

type Params = z.infer<ReturnType<typeof parameters>>;

export const irc = defineTool({
	name: "irc",
	label: "Message agents",
	prompt,
	concurrency: "shared",
	approval: "read",
	isForAgents: true,
	schema,
	parameters,
	async execute(params, context) {
		const { sessions } = context;
		if (!sessions) return errorResult("This session has no agents.");
		if (params.op === "list") return listed(sessions);
		const to = params.to?.trim() ?? "";
		if (to === "") return errorResult(`to: say whom to ${params.op}.`);
		if (params.op === "send") return send(sessions, to, params, context);
		if (params.op === "stop") return stop(sessions, to);
		return changeChannel(sessions, params.op, to);
	},
	view: {
		call: ({ op, to, message }) =>
			["irc", op ?? "…", to ?? "", message === undefined ? "" : oneLine(message, shownChars)]
				.join(" ")
				.trim(),
	},
});

function listed({ tree, self }: SessionSpawner): AgentToolResult {
	const rows = tree.messages.members.map((id) => {
		const info = tree.find(id);
		const who = id === self ? " (you)" : "";
		const task = info?.spec.task === undefined ? "" : `: ${oneLine(info.spec.task, shownChars)}`;
		const channels = tree.messages.channelsOf(id);
		return `${id}${who}${task}${channels.length > 0 ? ` [${channels.join(" ")}]` : ""}`;
	});
	return textResult(rows.length === 0 ? "No agent is running." : rows.join("\n"), { agents: rows.length });
}

async function send(
	{ tree, self }: SessionSpawner,
	to: string,
	{ message = "" }: Params,
	{ session }: ToolContext,
): Promise<AgentToolResult> {
	if (message.trim() === "") return errorResult("message: is empty.");
	const sent = tree.messages.send(self, to, message);
	if (!sent.ok) return errorResult(sent.reason);
	await session.emit({ type: "child_message", from: self, to, text: message });
	if (sent.reached.length === 0) return textResult(`Nobody else is in ${to} yet.`, { reached: [] });
	return textResult(`Sent to ${sent.reached.join(", ")}.`, { reached: sent.reached });
}

/** Only those below: an agent does not end the work of its siblings. */
async function stop(sessions: SessionSpawner, to: string): Promise<AgentToolResult> {
	const { self } = sessions;
	if (self !== mainAgent && !to.startsWith(`${self}.`)) return errorResult(`${to} is not an agent of yours.`);
	const outcome = await sessions.stopAgent(to);
	return outcome.ok ? textResult(`Stopped ${to}.`) : errorResult(outcome.reason);
}

function changeChannel({ tree, self }: SessionSpawner, op: "join" | "leave", to: string): AgentToolResult {
	if (!to.startsWith("#")) return errorResult("A channel begins with #.");
	if (op === "leave") tree.messages.leave(self, to);
	else if (!tree.messages.join(self, to)) return errorResult("No more channels can be joined.");
	return textResult(`${op === "join" ? "Joined" : "Left"} ${to}.`);
}

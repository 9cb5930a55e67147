/** Builds the request that a client shows when a call needs the user's approval. */
import type { FrozenCall, Preview, Touch } from "@tau/agent";
import { registryOf } from "@tau/machines/sandbox";
import { oneLine, showControls } from "@tau/utils";
import type { ApprovalChoice, RequestFields } from "@tau/wire";

import { amendableTexts } from "./amend.ts";
import { commandText } from "./call-items.ts";
import { fetchSubject, grantText, namedPort, type GrantSubject } from "./grants.ts";
import type { Ask } from "./judge.ts";
import { limits } from "./limits.ts";
import { reasonsOf, type ReasonContext } from "./reasons.ts";

export type ApprovalFields = RequestFields<"approval">;

const once: ApprovalChoice = { id: "once", label: "Yes, once", allows: true, scope: "once" };
const amend: ApprovalChoice = {
	id: "amend",
	label: "Yes, once, with changes of mine",
	allows: true,
	scope: "once",
	takesTexts: true,
};
export const refusals: readonly ApprovalChoice[] = [
	{ id: "no", label: "No", allows: false, scope: "once" },
	{
		id: "explain",
		label: "No, and tell the model what to do instead",
		allows: false,
		scope: "once",
		takesMessage: true,
	},
];

interface ApprovalFacts extends ReasonContext {
	asks: readonly Ask[];
	/** Why hooks and extensions ask. */
	forced: readonly string[];
	preview: Preview | undefined;
	agent: string | undefined;
	/** The user's settings ask for `full`, which needs a yes in each session. */
	offersFull: boolean;
}

export function approvalFields(call: FrozenCall, facts: ApprovalFacts): ApprovalFields {
	const { asks, forced, preview, agent } = facts;
	const amendable = amendableTexts(call);
	return {
		call: { toolCallId: call.id, toolName: call.name, args: call.arguments },
		tier: call.tool.approval,
		touches: call.touches.map(wireTouch),
		reason: showControls(reasonsOf(asks, forced, facts)),
		...(preview ? { preview } : {}),
		...(agent === undefined ? {} : { agent }),
		...(amendable.length === 0 ? {} : { amendable }),
		choices: [once, ...longer(facts), ...(amendable.length === 0 ? [] : [amend]), ...refusals],
	};
}

/** What a longer yes covers. Where a part of a command can only be allowed as a whole, it is the whole command. */
export function grantSubjects(asks: readonly { subject: GrantSubject | undefined }[]): GrantSubject[] {
	const subjects = asks.flatMap(({ subject }) => subject ?? []);
	const whole = subjects.find(({ kind }) => kind === "command");
	// Where it runs and what it connects to is asked about apart from the command.
	const parts = whole
		? [whole, ...subjects.filter(({ kind }) => kind === "outside" || kind === "fetch")]
		: subjects;
	return parts.filter((each, at) => parts.findIndex((other) => Bun.deepEquals(each, other)) === at);
}

/** A longer yes is offered where it is clear what it covers, and nothing but a call is asked about. */
function longer({ asks, forced, offersFull }: ApprovalFacts): ApprovalChoice[] {
	const full: ApprovalChoice = {
		id: "full",
		label: "Yes, and run everything in this session without asking (full)",
		allows: true,
		scope: "always",
	};
	const subjects = grantSubjects(asks);
	const covers = subjects.map(grantText);
	const isClear =
		forced.length === 0 && asks.length > 0 && asks.every(({ subject }) => subject !== undefined);
	if (!isClear) return offersFull ? [full] : [];
	// A whole command is shown above already.
	const isExact = subjects.some(({ kind }) => kind === "command");
	const isAlone = subjects.every(({ kind }) => kind === "command" || kind === "outside");
	const shown =
		isExact && isAlone ? "exactly this command" : showControls(covers.join(", ").replaceAll("\n", "⏎"));
	const choices: ApprovalChoice[] = [
		{ id: "session", label: `Yes, for this session: ${shown}`, allows: true, scope: "session", covers },
	];
	if (asks.every(({ mayStay }) => mayStay))
		choices.push({
			id: "project",
			label: `Yes, always in this project: ${shown}`,
			allows: true,
			scope: "project",
			covers,
		});
	return offersFull ? [...choices, full] : choices;
}

function wireTouch(touch: Touch): ApprovalFields["touches"][number] {
	if (touch.kind === "exec") return { kind: "exec", command: commandText(touch), cwd: touch.cwd };
	if (touch.kind === "fetch") return { kind: "fetch", url: touch.url };
	return { kind: touch.kind, path: touch.path };
}

/** What a longer yes to a host covers: of a package registry, all of its hosts. */
export function hostSubjects(host: string, port?: number): GrantSubject[] {
	const hosts = registryOf(host)?.hosts ?? [host.toLowerCase()];
	return hosts.map((name) => fetchSubject(name, port));
}

/** Who connects from inside the sandbox: a browser whose call has just opened the host, or a page of it perhaps. */
export type HostUser = "command" | "browser" | "command or page";

const hostUsers: Readonly<Record<HostUser, string>> = {
	command: "a command",
	browser: "the browser",
	"command or page": "a command or a page in the browser",
};

export function hostFields(
	{ host, port, by, last }: { host: string; port: number; by: HostUser; last?: string | undefined },
	agent: string | undefined,
): ApprovalFields {
	const command =
		by === "command" && last !== undefined ? ` (last command: ${oneLine(last, limits.noticeChars)})` : "";
	const reason = `${hostUsers[by]} wants to connect to ${host}:${port}${command}`;
	return connectionFields({ host, port }, reason, agent);
}

/** An address of this machine or its network that a browser would connect to. */
export interface PrivateTarget {
	readonly host: string;
	readonly port: number;
	readonly address: string;
	/** Whether a call has opened this host, and not only a page. */
	readonly isOpened: boolean;
}

export function privateFields(
	{ host, port, address, isOpened }: PrivateTarget,
	agent: string | undefined,
): ApprovalFields {
	const who = isOpened ? "the browser" : "a page in the browser";
	const name = host === address ? `${host}:${port}` : `${host}:${port} (${address})`;
	const reason = `${who} wants to connect to ${name}, which is on this machine or its network`;
	return connectionFields({ host, port }, reason, agent);
}

function connectionFields(
	{ host, port }: { host: string; port: number },
	reason: string,
	agent: string | undefined,
): ApprovalFields {
	const covers = hostSubjects(host, port).map(grantText);
	const registry = registryOf(host);
	const at = namedPort(port) === undefined ? "" : `:${port}`;
	const name =
		registry === undefined ? host + at : `the ${registry.name} (${registry.hosts.join(", ")})${at}`;
	return {
		call: { toolCallId: "", toolName: "network", args: { host, port } },
		tier: "exec",
		touches: [{ kind: "fetch", url: `${host}:${port}` }],
		reason: showControls(reason),
		...(agent === undefined ? {} : { agent }),
		choices: [
			once,
			{ id: "session", label: `Yes, for this session: ${name}`, allows: true, scope: "session", covers },
			{
				id: "project",
				label: `Yes, always in this project: ${name}`,
				allows: true,
				scope: "project",
				covers,
			},
			...refusals.slice(0, 1),
		],
	};
}

export function outsideFields(
	command: string,
	why: string,
	cwd: string,
	agent: string | undefined,
): ApprovalFields {
	return {
		call: { toolCallId: "", toolName: "command outside the sandbox", args: { command } },
		title: "Run this command outside the sandbox?",
		tier: "exec",
		touches: [{ kind: "exec", command, cwd }],
		reason: showControls(why),
		...(agent === undefined ? {} : { agent }),
		choices: [
			once,
			{ id: "session", label: "Yes, this command for this session", allows: true, scope: "session" },
			...refusals.slice(0, 1),
		],
	};
}

export function mergeFields(merge: {
	agent: string;
	toolCallId: string;
	paths: readonly string[];
	why: string;
	preview: Preview | undefined;
}): ApprovalFields {
	const { agent, toolCallId, paths, why, preview } = merge;
	return {
		call: { toolCallId, toolName: "merge", args: { paths: [...paths] } },
		tier: "write",
		touches: paths.map((path) => ({ kind: "write", path })),
		reason: showControls(`the work of the agent ${why}`),
		...(preview ? { preview } : {}),
		agent,
		choices: [once, ...refusals.slice(0, 1)],
	};
}

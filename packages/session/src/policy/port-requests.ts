/** Asks about ports that cross the sandbox: servers inside for the user, and services of the user for commands. */
import { refusals, type ApprovalFields } from "./approval-request.ts";
import { grantText, type Grants, type GrantSubject } from "./grants.ts";

interface PortParts {
	grants: Pick<Grants, "all" | "useFor">;
	/** Undefined for the session's own agent. */
	agent: string | undefined;
	ask(fields: ApprovalFields, subject: GrantSubject, signal: AbortSignal): Promise<boolean>;
}

export class PortRequests {
	readonly #parts: PortParts;

	constructor(parts: PortParts) {
		this.#parts = parts;
	}

	/** Whether a server of the sandbox becomes reachable for the user; `by` is the command that started it. */
	async publish(port: number, by: string, signal: AbortSignal): Promise<boolean> {
		const { grants, agent, ask } = this.#parts;
		const subject: GrantSubject = { kind: "port", port };
		return grants.useFor(subject) || (await ask(portFields(port, by, agent), subject, signal));
	}

	/** Whether commands may connect to a service on this machine's loopback. */
	async reach(port: number, signal: AbortSignal): Promise<boolean> {
		const { grants, agent, ask } = this.#parts;
		const subject: GrantSubject = { kind: "local", port };
		return grants.useFor(subject) || (await ask(localFields(port, agent), subject, signal));
	}

	/** Services on this machine's loopback that the user has allowed for longer. */
	get reachable(): number[] {
		return this.#parts.grants.all.flatMap(({ subject }) => (subject.kind === "local" ? subject.port : []));
	}
}

/** A server that a command in the sandbox has started. */
function portFields(port: number, by: string, agent: string | undefined): ApprovalFields {
	const title = `Make port ${port} reachable for you?`;
	const reason = `a command in the sandbox listens on port ${port}, which only other commands and the browser tool can reach`;
	const fields = { call: { toolCallId: "", toolName: "port", args: { port, command: by } }, title };
	return portChoices({ ...fields, reason, touches: [] }, { kind: "port", port }, agent);
}

/** A service on this machine's loopback that a command has tried in vain. */
function localFields(port: number, agent: string | undefined): ApprovalFields {
	const title = `Allow 127.0.0.1:${port} (your machine)?`;
	const reason = `a command wants to connect to 127.0.0.1:${port}, where a service of your machine listens`;
	const touches = [{ kind: "fetch" as const, url: `127.0.0.1:${port}` }];
	const fields = { call: { toolCallId: "", toolName: "local service", args: { port } }, title };
	return portChoices({ ...fields, reason, touches }, { kind: "local", port }, agent);
}

function portChoices(
	fields: Pick<ApprovalFields, "call" | "title" | "touches"> & { reason: string },
	subject: GrantSubject,
	agent: string | undefined,
): ApprovalFields {
	const covers = [grantText(subject)];
	return {
		...fields,
		tier: "exec",
		...(agent === undefined ? {} : { agent }),
		choices: [
			{ id: "session", label: "Yes, for this session", allows: true, scope: "session", covers },
			{ id: "project", label: "Yes, always in this project", allows: true, scope: "project", covers },
			...refusals.slice(0, 1),
		],
	};
}

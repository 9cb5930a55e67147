/** Answers what servers ask of their client: the roots of the project, questions to the user, answers of the model. */
import type {
	Client,
	ClientCapabilities,
	CreateMessageRequest,
	CreateMessageResult,
	ElicitRequest,
	ElicitRequestURLParams,
	ElicitResult,
} from "@modelcontextprotocol/client";
import { pathToFileURL } from "node:url";

import type { McpUser } from "./user.ts";

/** The session that a server talks to; it changes when the user moves to another one. */
export interface RequestParts {
	/** The name of the server, for the user. */
	server: string;
	roots(): readonly string[];
	user(): McpUser | undefined;
	/** Asks the session's model, after the user said yes. */
	sample(
		params: CreateMessageRequest["params"],
		server: string,
		signal: AbortSignal,
	): Promise<CreateMessageResult>;
}

export class ServerRequests {
	readonly capabilities: ClientCapabilities = {
		roots: { listChanged: true },
		sampling: {},
		elicitation: { form: { applyDefaults: true }, url: {} },
	};
	readonly #parts: RequestParts;
	/** Pages that the user is visiting, by the id that the server reports as complete. */
	readonly #visits = new Map<string, () => void>();

	constructor(parts: RequestParts) {
		this.#parts = parts;
	}

	/** Opens pages without which the server refuses a call. Rejects when the user did not visit them all. */
	async visitPages(pages: readonly ElicitRequestURLParams[], signal: AbortSignal): Promise<void> {
		const { server, user } = this.#parts;
		for (const { elicitationId, message, url } of pages) {
			const done = Promise.withResolvers<void>();
			this.#visits.set(elicitationId, () => done.resolve());
			try {
				const isDone = await user()?.visitPage(server, message, url, done.promise, signal);
				if (!isDone) throw new Error(`the user did not visit the page that it needs first: ${url}`);
			} finally {
				this.#visits.delete(elicitationId);
			}
		}
	}

	/** Who can be asked now. */
	get user(): McpUser | undefined {
		const user = this.#parts.user();
		return user?.canAsk() ? user : undefined;
	}

	answer(client: Client): void {
		const { server, roots, user, sample } = this.#parts;
		client.setRequestHandler("roots/list", () => ({
			roots: roots().map((path) => ({ uri: pathToFileURL(path).href, name: path.split("/").at(-1) ?? path })),
		}));
		client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
			return await elicit(params, server, user(), mcpReq.signal);
		});
		client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
			this.#visits.get(params.elicitationId)?.();
		});
		client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
			return await sample(params, server, mcpReq.signal);
		});
	}
}

/** Where nobody can be asked the question is dismissed, not declined: the server may ask another time. */
async function elicit(
	params: ElicitRequest["params"],
	server: string,
	user: McpUser | undefined,
	signal: AbortSignal,
): Promise<ElicitResult> {
	if (!user?.canAsk()) return { action: "cancel" };
	if (params.mode === "url") {
		const isYes = await user.openAddress(server, params.message, params.url, signal);
		return { action: isYes === undefined ? "cancel" : isYes ? "accept" : "decline" };
	}
	const { askForm } = await import("./form.ts");
	return await askForm(params, server, user, signal);
}

/**
 * What the screen uses of a session that runs in the same process: objects, which no client elsewhere has. A session that
 * was attached has none of them; whatever needs one says so.
 */
import type { CredentialStore } from "@tau/ai";
import type { SessionMachine } from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import type { McpManager, McpPrompt, McpResource } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { SessionManager } from "@tau/log";
import type { AgentSession } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import type { ModelRegistry, UsableModels } from "@tau/config/models";
import { UserError } from "@tau/session/run";
import type { ToolEnv } from "@tau/tools/tool";
import type { Entry, SessionClient } from "@tau/wire";

import { entriesAfter, type DoctorReport } from "@tau/session-commands/work";

export interface LocalParts {
	readonly host: SessionHost;
	/** The environment of the tools of the current session. */
	env(): ToolEnv;
	readonly extensions?: Pick<Extensions, "beforeTree" | "afterTree" | "times" | "problems"> | undefined;
	/** The machine that the session works on, and how to choose another one; absent where there is no choice. */
	readonly machine?: SessionMachine | undefined;
	/** The MCP servers, found when they are needed; absent in a run without them. */
	readonly mcp?: (() => Promise<McpManager>) | undefined;
	/** The prompts and resources of MCP servers that are ready: read them each time. */
	readonly mcpOffers?:
		{ readonly prompts: readonly McpPrompt[]; readonly resources: readonly McpResource[] } | undefined;
	/** Examines the machine and the project; absent where the program that opened the session cannot. */
	readonly doctor?: (() => Promise<DoctorReport>) | undefined;
	/** Skills and templates, as they were found last. */
	readonly resources: { readonly current: Resources | undefined; find(): Promise<void> };
	readonly registry: ModelRegistry;
	readonly credentials: CredentialStore;
	/** The session continues without this process when the mode has ended; absent where nobody could continue it. */
	readonly detach?: (() => void) | undefined;
}

const notAttached = "This is not available in an attached session yet.";

/** The members for commands and selectors that still work on the objects of a session. */
export abstract class LocalMembers {
	protected readonly local: LocalParts | undefined;

	constructor(local: LocalParts | undefined) {
		this.local = local;
	}

	/** The session runs in another process. */
	get isAttached(): boolean {
		return this.local === undefined;
	}

	/** The session that is drawn. */
	abstract readonly client: SessionClient;

	/** The entries behind one, in the order of the file, on all branches; those of another process have to come first. */
	entriesAfter(since: string | undefined, limit: number): readonly Entry[] | Promise<readonly Entry[]> {
		if (this.local) return entriesAfter(this.local.host.log, since, limit);
		const fields = { limit, ...(since === undefined ? {} : { since }) };
		return this.client.request("get_entries", fields).then(({ entries }) => entries);
	}

	/** Throws in an attached session. */
	protected get here(): LocalParts {
		if (!this.local) throw new UserError(notAttached);
		return this.local;
	}

	get sessionHost(): SessionHost {
		return this.here.host;
	}

	get session(): AgentSession {
		return this.here.host.session;
	}

	get log(): SessionManager {
		return this.here.host.log;
	}

	get env(): ToolEnv {
		return this.here.env();
	}

	/** Where the tools work, if the session runs in this process. */
	get toolEnv(): ToolEnv | undefined {
		return this.local?.env();
	}

	get registry(): ModelRegistry {
		return this.here.registry;
	}

	get models(): UsableModels {
		return this.here.host.models;
	}

	get credentials(): CredentialStore {
		return this.here.credentials;
	}

	get treeExtensions(): Pick<Extensions, "beforeTree" | "afterTree"> | undefined {
		return this.local?.extensions;
	}

	get loadedExtensions(): Pick<Extensions, "times" | "problems"> | undefined {
		return this.local?.extensions;
	}

	get machine(): LocalParts["machine"] {
		return this.local?.machine;
	}

	get mcp(): LocalParts["mcp"] {
		return this.local?.mcp;
	}

	get mcpOffers(): LocalParts["mcpOffers"] {
		return this.local?.mcpOffers;
	}

	get doctor(): LocalParts["doctor"] {
		return this.local?.doctor;
	}

	get resources(): Resources | undefined {
		return this.local?.resources.current;
	}
}

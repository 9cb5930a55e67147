/**
 * What the screen uses of a session that runs in the same process: objects, which no client elsewhere has. A session that
 * was attached has none of them; whatever needs one says so.
 */
import type { McpPrompt, McpResource } from "@tau/resources/mcp";
import type { CommandParts } from "@tau/session-commands";
import { entriesAfter } from "@tau/session-commands/work";
import type { Entry, SessionClient } from "@tau/wire";

type Host = CommandParts["host"];

/** Where commands of a session in this process ask the user, and show their terminals. */
export type LocalRequests = Host["requests"];
export type TerminalViewer = NonNullable<LocalRequests["terminals"]>;
export type ShownTerminal = Parameters<TerminalViewer["show"]>[0];

/** What commands work on, where it is known; and what only the screen needs. */
export interface LocalParts
	extends
		Pick<CommandParts, "host" | "env" | "registry" | "credentials">,
		Partial<
			Pick<
				CommandParts,
				"machine" | "mcp" | "doctor" | "extensions" | "collab" | "recording" | "schedules" | "fleet"
			>
		> {
	/** The prompts and resources of MCP servers that are ready: read them each time. */
	readonly mcpOffers?:
		{ readonly prompts: readonly McpPrompt[]; readonly resources: readonly McpResource[] } | undefined;
	/** Skills and templates, as they were found last. */
	readonly resources: { readonly current: CommandParts["resources"]; find(): Promise<void> };
	/**
	 * The session continues without this process when the mode has ended, or in another directory; absent where nobody
	 * could continue it.
	 */
	readonly detach?: ((directory?: string) => void) | undefined;
}

/** A shared session, as its guest knows it. */
export interface GuestRoom {
	/** Writes what was seen of the session, and what came before, to a file of this machine. Gives its path. */
	exportTo(file: string | undefined): Promise<string>;
}

/** Where the session is, and where its user may go. */
export interface ElsewhereParts {
	/** What is there only if the session runs in this process. */
	readonly local?: LocalParts | undefined;
	/** The session belongs to another user, on another machine. */
	readonly guest?: GuestRoom | undefined;
	/** The terminal is lent to it; absent where that cannot be. */
	readonly join?: ((link: string) => Promise<void>) | undefined;
}

const notAttached = "This is not available in an attached session yet.";

/** The members for commands and selectors that still work on the objects of a session. */
export abstract class LocalMembers {
	protected readonly local: LocalParts | undefined;

	/** The session belongs to another user: this terminal is a guest. */
	readonly guest: GuestRoom | undefined;

	/** Joins a shared session, which replaces this one until the user leaves it. */
	readonly join: ((link: string) => Promise<void>) | undefined;

	constructor({ local, guest, join }: ElsewhereParts) {
		this.local = local;
		this.guest = guest;
		this.join = join;
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

	/** How long a command has run that may be moved to the background; elsewhere that is not known. */
	protected awaitedMs(): number | undefined {
		if (this.local) return this.local.host.work.jobs.awaitedMs();
		const { calls, commands } = this.client.view.live;
		return calls.length + commands.length > 0 ? 0 : undefined;
	}

	/** Throws in an attached session. */
	protected get here(): LocalParts {
		if (!this.local) throw new Error(notAttached);
		return this.local;
	}

	get sessionHost(): Host {
		return this.here.host;
	}

	get session(): Host["session"] {
		return this.here.host.session;
	}

	get log(): Host["log"] {
		return this.here.host.log;
	}

	get env(): ReturnType<CommandParts["env"]> {
		return this.here.env();
	}

	/** Where the tools work, if the session runs in this process. */
	get toolEnv(): ReturnType<CommandParts["env"]> | undefined {
		return this.local?.env();
	}

	get registry(): CommandParts["registry"] {
		return this.here.registry;
	}

	get models(): Host["models"] {
		return this.here.host.models;
	}

	get credentials(): CommandParts["credentials"] {
		return this.here.credentials;
	}

	get extensions(): LocalParts["extensions"] {
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

	get schedules(): LocalParts["schedules"] {
		return this.local?.schedules;
	}

	get fleet(): LocalParts["fleet"] {
		return this.local?.fleet;
	}

	get recording(): LocalParts["recording"] {
		return this.local?.recording;
	}

	get collab(): LocalParts["collab"] {
		return this.local?.collab;
	}

	get resources(): CommandParts["resources"] {
		return this.local?.resources.current;
	}
}

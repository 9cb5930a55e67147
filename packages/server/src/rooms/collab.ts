/** Shares the session of this process in a room on a relay. */
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

import { UserError } from "@tau/session/run";
import type { Broadcast } from "@tau/session/host";
import type { CollabControl, CollabLink, CollabStatus, WantedLink } from "@tau/session-commands";
import { log, plural } from "@tau/utils";
import {
	browserLink,
	cleanName,
	Invitations,
	newIdentity,
	printLink,
	readIdentity,
	readRelay,
	RoomHost,
	roomLimits,
	shownBrowserLink,
	type Invitation,
	type RoomEvents,
	type RoomGuest,
	type RoomIdentity,
	type RoomLink,
	type RoomMember,
	type RoomState,
	type SharedSession,
	type StoredIdentity,
} from "@tau/wire/room";

import type { RpcSession } from "../rpc/index.ts";
import { ClientAnswers, commandsFor } from "../daemon/joined-client.ts";
import { guestLine } from "./guest-commands.ts";
import { limits } from "./limits.ts";
import type { OmpRoom } from "./omp-room.ts";
import { readRoom, removeRoom, writeRoom } from "./room-store.ts";

interface OpenRoom {
	readonly sessionId: string;
	readonly relay: string;
	readonly identity: RoomIdentity;
	readonly stored: StoredIdentity;
	readonly invitations: Invitations;
	readonly host: RoomHost;
	readonly broadcast: Broadcast;
}

export class Collab implements CollabControl, AsyncDisposable {
	readonly #session: RpcSession;
	readonly #onChange: () => void;
	readonly #owned = new DisposableStack();
	readonly #answers = new ClientAnswers();
	#room: OpenRoom | undefined;
	/** A relay for guests of this machine, where the user wanted one. */
	#relay: (AsyncDisposable & { readonly url: string }) | undefined;
	#faults = 0;
	#omp: OmpRoom | undefined;

	constructor(session: RpcSession, onChange: () => void) {
		this.#session = session;
		this.#onChange = onChange;
		this.#owned.use(session.host.onReplaced(() => void this.#onMoved()));
	}

	get status(): CollabStatus | undefined {
		const room = this.#room;
		if (!room) return undefined;
		const { state, guests } = room.host;
		return {
			relay: room.relay,
			trouble: state.kind === "reconnecting" ? state.reason : "",
			links: [
				...room.invitations.all.map((invitation) => this.#linkOf(room, invitation)),
				...(this.#omp?.links ?? []),
			],
			guests: [...guests, ...(this.#omp?.guests ?? [])].map(({ name, right, link }) => ({
				name,
				right,
				link,
			})),
		};
	}

	async start(wanted: string | undefined): Promise<CollabStatus> {
		const sessionId = this.#sessionId;
		const before = readRoom(sessionId);
		const relay = this.#relayFor(wanted ?? before?.relay);
		const made = before
			? { stored: before.identity, identity: await readIdentity(before.identity) }
			: await newIdentity();
		const invitations = await Invitations.of(made.identity.id, before?.invitations ?? []);
		const room: { open?: OpenRoom } = {};
		const hostName = ownName(this.#session);
		const broadcast = this.#session.host.broadcast({
			sessionId,
			hostName,
			onLines: (lines) => room.open?.host.broadcast(lines),
		});
		const host = new RoomHost({
			relay,
			identity: made.identity,
			invitations,
			epoch: before?.epoch ?? 0,
			hostName,
			session: this.#sharedSession(broadcast),
			events: this.#events(() => room.open),
		});
		room.open = { sessionId, relay, ...made, invitations, host, broadcast };
		try {
			await host.start();
		} catch (error) {
			broadcast[Symbol.dispose]();
			throw new UserError(`The relay ${relay} does not take the room: ${reasonOf(error)}`);
		}
		this.#room = room.open;
		if (!invitations.all.some(({ name }) => name === "prompt"))
			await this.invite({ name: "prompt", right: "prompt" });
		this.#save();
		this.#onChange();
		const { status } = this;
		if (!status) throw new UserError("Sharing was stopped.");
		return status;
	}

	get hasRelay(): boolean {
		return (
			(this.#session.host.settings.get("collab.relayUrl") ?? readRoom(this.#sessionId)?.relay) !== undefined
		);
	}

	async runRelay(): Promise<string> {
		const [{ startRelay }, { guestPage }] = await Promise.all([
			import("@tau/relay"),
			import("./guest-page.ts"),
		]);
		this.#relay ??= await startRelay({ bind: "127.0.0.1:0", page: guestPage });
		return this.#relay.url.replace(/^http/, "ws");
	}

	async invite(link: WantedLink): Promise<CollabLink> {
		const room = this.#opened();
		let invitation: Invitation;
		try {
			invitation = await room.invitations.create(link);
		} catch (error) {
			throw new UserError(reasonOf(error));
		}
		room.host.linksChanged();
		return this.#linkOf(room, invitation);
	}

	async inviteOmp(right: "prompt" | "view"): Promise<CollabLink> {
		const { relay, sessionId } = this.#opened();
		const { OmpRoom: Room, ompLinks } = await import("./omp-room.ts");
		const { onJoined, onLeft } = this.#events(() => this.#room);
		this.#omp ??= await Room.open({
			relay,
			hostName: ownName(this.#session),
			session: {
				admit: (guest) => this.#admit(guest),
				join: (guest, onLines) => this.#join(guest, { sessionId }, onLines),
			},
			events: { onJoined, onLeft, onState: (state) => this.#onOmpState(state) },
		});
		const link = this.#omp.links.find(({ name }) => name === ompLinks[right]);
		if (!link) throw new UserError("Sharing was stopped.");
		return link;
	}

	async revoke(name: string): Promise<void> {
		const room = this.#opened();
		if (this.#omp?.links.some((link) => link.name === name))
			return await this.#closeOmp("The host has revoked this link.");
		if (room.invitations.revoke(name) === undefined)
			throw new UserError(`No link is named "${name}". /collab status lists them.`);
		await room.host.dropRevoked("The host has revoked this link.");
	}

	async remove(name: string): Promise<void> {
		const { host } = this.#opened();
		const guest = [...host.guests, ...(this.#omp?.guests ?? [])].find((each) => each.name === name);
		if (!guest) throw new UserError(`Nobody here is named "${name}". /collab status lists the guests.`);
		this.#omp?.removeGuest(guest.id, removed);
		await host.removeGuest(guest.id, removed);
	}

	async stop(): Promise<void> {
		const room = this.#room;
		if (!room) return;
		removeRoom(room.sessionId);
		await this.#close("The host has stopped sharing.", true);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#owned.dispose();
		// The room stays on the relay for a while, and on disk: the same links work when the session is shared again.
		await this.#close("The host has left.", false);
		await this.#relay?.[Symbol.asyncDispose]();
	}

	get #sessionId(): string {
		return this.#session.host.log.getSessionId();
	}

	#opened(): OpenRoom {
		if (!this.#room) throw new UserError("This session is not shared. Share it: /collab");
		return this.#room;
	}

	#relayFor(wanted: string | undefined): string {
		const relay = wanted ?? this.#session.host.settings.get("collab.relayUrl");
		if (relay === undefined)
			throw new UserError(
				"No relay configured. Set collab.relayUrl in /settings or pass one: /collab relay.example.com",
			);
		try {
			return readRelay(relay);
		} catch (error) {
			throw new UserError(reasonOf(error));
		}
	}

	#linkOf({ relay, identity }: OpenRoom, invitation: Invitation): CollabLink {
		const link: RoomLink = { relay, room: identity.id, secret: secretOf(invitation) };
		const { name, right, expiresAt, uses, guests } = invitation;
		return {
			name,
			right,
			link: printLink(link, false),
			browser: browserLink(link),
			shownBrowser: shownBrowserLink(link),
			...(expiresAt === undefined ? {} : { expiresAt }),
			...(uses === undefined ? {} : { uses }),
			used: guests.length,
		};
	}

	#sharedSession(broadcast: Broadcast): SharedSession {
		return {
			cursor: () => broadcast.cursor,
			admit: (guest) => this.#admit(guest),
			join: (guest, onLines) => this.#join(guest, broadcast, onLines),
		};
	}

	async #admit({ name, right }: Omit<RoomGuest, "from">): Promise<boolean> {
		const { host } = this.#session;
		if (host.settings.get("collab.admit") !== "ask") return true;
		const dialog = {
			method: "confirm",
			title: `${name} wants to join`,
			message: `With the right to ${right}. Let them in?`,
			// A stray Enter must not let anybody in.
			selected: "no",
		} as const;
		const answer = await host.requests.ask("dialog", { dialog }, { timeoutMs: roomLimits.admitMs });
		return answer !== undefined && "confirmed" in answer && answer.confirmed;
	}

	/** With a broadcast, it reads with all others; otherwise by itself. */
	#join(
		guest: RoomGuest,
		room: Broadcast | { readonly sessionId: string },
		onLines: (lines: readonly string[]) => void | Promise<void>,
	): RoomMember {
		const { host } = this.#session;
		if (this.#sessionId !== room.sessionId) throw new Error("The host has opened another session.");
		const { id, name, right: rights, kinds, from } = guest;
		const owned = new DisposableStack();
		const withAll = "cursor" in room ? { room } : {};
		const attached = owned.use(host.attach({ id, name, rights, kinds, onLines, ...withAll }, from));
		const commands = commandsFor(this.#session, attached, { answers: this.#answers.of(id), owned });
		return {
			take: (line) => {
				const { id: command } = line;
				const taken = attached.isFull ? tooMuch : guestLine(line);
				if (taken.ok) void commands.then((work) => work.take(taken.line));
				else if (typeof command === "string")
					attached.respond({ id: command, ok: false, error: taken.reason });
			},
			resume: (cursor) => attached.resume(cursor),
			[Symbol.dispose]: () => owned.dispose(),
		};
	}

	#events(room: () => OpenRoom | undefined): RoomEvents {
		return {
			onState: (state) => this.#onState(state),
			onJoined: ({ name, right }, isBack) => {
				// It is in the list a moment later.
				queueMicrotask(this.#onChange);
				if (!isBack)
					this.#announce(`${name} joined the collab session${right === "view" ? " (read-only)" : ""}`);
			},
			onLeft: ({ name }, reason) => {
				queueMicrotask(this.#onChange);
				if (reason === "reconnecting") return;
				this.#announce(`${name} left the collab session${reason === undefined ? "" : ` (${reason})`}`);
			},
			onFault: (who, { kind, message }) => {
				log.warn("a message of a room was refused", { who, kind, message });
				if (++this.#faults <= limits.shownFaults)
					this.#say(
						`A message of ${who} was refused: ${message} The relay or the network may be tampering.`,
						"warning",
					);
			},
			onChange: () => {
				if (this.#room && this.#room === room()) this.#save();
			},
		};
	}

	#onState(state: RoomState): void {
		if (state.kind === "reconnecting" && !this.#isAway) {
			this.#isAway = true;
			this.#onChange();
			this.#announce(`Collab relay connection lost (${state.reason}), reconnecting…`, aboutHost);
		}
		if (state.kind === "connected" && this.#isAway) {
			this.#isAway = false;
			this.#onChange();
			this.#announce("The collab relay is back.", { ...aboutHost, level: "info" });
		}
		if (state.kind === "ended" && this.#room) {
			const { broadcast } = this.#room;
			this.#room = undefined;
			broadcast[Symbol.dispose]();
			void this.#closeOmp(state.reason);
			this.#onChange();
			this.#say(`Collab session ended (${state.reason})`, "warning");
		}
	}

	#isAway = false;

	/** Its guests join again by themselves. */
	#onOmpState(state: RoomState): void {
		if (state.kind === "reconnecting")
			this.#announce(
				`Collab relay connection lost for guests of omp (${state.reason}), reconnecting…`,
				aboutHost,
			);
	}

	async #closeOmp(reason: string): Promise<void> {
		const room = this.#omp;
		this.#omp = undefined;
		await room?.close(reason);
	}

	#save(): void {
		const room = this.#room;
		if (!room) return;
		const { sessionId, relay, stored, invitations, host } = room;
		try {
			writeRoom(sessionId, { relay, identity: stored, epoch: host.epoch, invitations: invitations.all });
		} catch (error) {
			this.#say(
				`The room cannot be saved, and its links end with this process: ${reasonOf(error)}`,
				"warning",
			);
		}
	}

	/** A room belongs to one session: nothing of another one may show in it. */
	async #onMoved(): Promise<void> {
		const room = this.#room;
		if (!room || room.sessionId === this.#sessionId) return;
		const guests = room.host.guests.length;
		await this.#close("The host has opened another session.", false);
		this.#say(
			`Sharing has stopped with the session${guests === 0 ? "" : ` (${plural(guests, "guest")})`}. /collab shares this one.`,
		);
	}

	async #close(reason: string, isOver: boolean): Promise<void> {
		const room = this.#room;
		if (!room) return;
		if (!isOver) this.#save();
		this.#room = undefined;
		this.#onChange();
		room.broadcast[Symbol.dispose]();
		await Promise.all([room.host.close(reason, isOver), this.#closeOmp(reason)]);
	}

	/** What happens in the room is for those who are in it: a screen of it would hide the session from who joins later. */
	#announce(message: string, kind: { level: "info" | "warning"; own?: true } = { level: "info" }): void {
		void this.#session.host.emit({ type: "notice", ...kind, message, passing: true });
	}

	#say(message: string, level: "info" | "warning" = "info"): void {
		void this.#session.host.notice(message, level);
	}
}

/** Guests read of their own connection. */
const aboutHost = { level: "warning", own: true } as const;
const removed = "The host has removed you.";
const tooMuch = { ok: false, reason: "Read the answers to earlier commands first." } as const;

/** How the others call the host. */
function ownName({ host }: RpcSession): string {
	return displayName(host.settings.get("collab.displayName"));
}

export function displayName(setting: string | undefined): string {
	return cleanName(setting ?? "") || cleanName(systemName()) || "host";
}

function systemName(): string {
	try {
		const { username, uid } = userInfo();
		// Bun knows the name from the environment alone, which lacks it in services and containers.
		if (username !== "unknown") return username;
		const known = readFileSync("/etc/passwd", "utf8");
		return new RegExp(`^([^:\\n]*):[^:\\n]*:${uid}:`, "m").exec(known)?.[1] ?? "";
	} catch {
		// A user of a container may have no name.
		return "";
	}
}

function secretOf({ secret }: Invitation): Uint8Array<ArrayBuffer> {
	return Uint8Array.fromBase64(secret, { alphabet: "base64url" });
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

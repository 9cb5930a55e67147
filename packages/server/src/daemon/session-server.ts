/** Serves the session of this process to other programs of the same user, over a Unix socket. */
import { join } from "node:path";

import { log, oneLine, openRuntimeDirectory } from "@tau/utils";
import { userTextOf } from "@tau/log";
import type { Attached, SessionHost } from "@tau/session/host";
import type { Bye } from "@tau/wire/remote";

import type { RpcSession } from "../rpc/index.ts";
import { limits } from "../local/limits.ts";
import { ClientAnswers, commandsFor } from "./joined-client.ts";
import { listenLocally, type Peer } from "./listener.ts";
import type { OpenedSession, SessionStatus } from "../local/protocol.ts";
import { ownFacts, register, type OwnRegistration, type ServerKind } from "../local/registrations.ts";

export interface ServeOptions {
	session: RpcSession;
	kind: ServerKind;
}

let served = 0;

export class SessionServer implements Disposable {
	readonly #options: ServeOptions;
	readonly #owned = new DisposableStack();
	readonly #registration: OwnRegistration;
	readonly #answers = new ClientAnswers();
	readonly #clients = new Set<Peer>();
	readonly opened: OpenedSession;
	/** Called when the user has asked this session to end, from elsewhere. */
	onEnd: () => void = () => {};
	/** Called when a client has joined or left. */
	onClients: () => void = () => {};
	#kind: ServerKind;

	/** Throws the reason where nothing can be served: others could enter the directory, or it cannot be written. */
	constructor(options: ServeOptions) {
		this.#options = options;
		this.#kind = options.kind;
		const { host } = options.session;
		const directory = openRuntimeDirectory();
		const name = `${process.pid}-${++served}`;
		const facts = ownFacts();
		const socket = join(directory, `${name}.sock`);
		this.#owned.use(listenLocally({ path: socket, token: facts.token, onPeer: (peer) => this.#meet(peer) }));
		this.opened = { sessionId: host.log.getSessionId(), socket, token: facts.token };
		this.#registration = this.#owned.use(
			register(directory, name, { kind: options.kind, ...facts, socket, ...identity(host) }),
		);
		this.#owned.use(host.onReplaced(() => this.#registration.update(identity(host))));
	}

	/** The clients that have joined over the socket. */
	get clients(): number {
		return this.#clients.size;
	}

	/** From now on the session belongs to no terminal. */
	detach(): void {
		this.#kind = "detached";
		this.#registration.update({ kind: "detached" });
	}

	/** Says goodbye. With `comesBack`, the session continues in another process, and its clients look for it there. */
	close({ comesBack }: Pick<Bye, "comesBack">): void {
		const bye: Bye = { type: "bye", comesBack };
		for (const peer of this.#clients) {
			void peer.sendLines([JSON.stringify(bye)]);
			peer.close();
		}
		this.#owned.dispose();
		this.#options.session.surfaces?.close();
	}

	[Symbol.dispose](): void {
		this.close({ comesBack: false });
	}

	#meet(peer: Peer): void {
		switch (peer.hello.purpose) {
			case "join":
				return this.#join(peer);
			case "status":
				peer.welcome(
					statusOf(this.#options.session.host, this.clients + (this.#kind === "attended" ? 1 : 0)),
				);
				return peer.close();
			case "end":
				peer.welcome();
				peer.close();
				return this.onEnd();
			case "open":
			case "work":
			case "web":
				return peer.refuse("This is a session, and not the daemon.");
		}
	}

	#join(peer: Peer): void {
		const { client, from } = peer.hello;
		const { session } = this.#options;
		if (!client) return peer.refuse("A client has a name.");
		let attached: Attached;
		try {
			// The same user: a process that can read the token can also read and write the session's files.
			const rights = "control" as const;
			peer.welcome({ rights });
			attached = session.host.attach({ ...client, rights, onLines: (lines) => peer.sendLines(lines) }, from);
		} catch (error) {
			log.warn("a client could not join", { reason: String(error) });
			return peer.close();
		}
		const owned = new DisposableStack();
		owned.use(attached);
		const commands = commandsFor(session, attached, { answers: this.#answers.of(attached.info.id), owned });
		// Loaded when the first client joins; until then its lines wait in order.
		peer.onLine = (line) => void commands.then((work) => work.take(line));
		this.#clients.add(peer);
		this.onClients();
		peer.onEnd = () => {
			owned.dispose();
			this.#clients.delete(peer);
			this.onClients();
		};
	}
}

function identity(host: SessionHost): { sessionId: string; sessionFile?: string; cwd: string } {
	const { id, file, cwd } = host.state;
	return { sessionId: id, ...(file === undefined ? {} : { sessionFile: file }), cwd };
}

/** What `tau ps` shows. */
export function statusOf(host: SessionHost, clients: number): SessionStatus {
	const { session, state, requests, work, children } = host;
	const first = session.state.messages.find(({ role }) => role === "user");
	const title = state.name ?? (first ? userTextOf(first) : "");
	return {
		sessionId: state.id,
		title: oneLine(title, limits.titleChars),
		phase: state.phase,
		waiting: requests.pending.length,
		working: work.jobs.running() + children.tree.all.filter(({ endedAt }) => endedAt === undefined).length,
		cost: session.usage.totals.cost.total,
		clients,
	};
}

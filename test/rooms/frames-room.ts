/** A room whose session is a list of frames, and a guest of it that comes back: for tests of what arrives, and how. */
import type { Connection } from "@tau/wire/remote";
import {
	Invitations,
	newIdentity,
	readLink,
	RoomHost,
	roomTransport,
	type ConnectRelay,
	type RoomLink,
} from "@tau/wire/room";

export interface FramesRoomOptions {
	connect?: ConnectRelay;
	now?: () => number;
}

export class FramesRoom implements AsyncDisposable {
	readonly frames: string[] = [];
	/** What the host said about its connection. */
	readonly states: string[] = [];
	readonly host: RoomHost;
	readonly link: RoomLink;

	private constructor(host: (room: FramesRoom) => RoomHost, link: RoomLink) {
		this.link = link;
		this.host = host(this);
	}

	static async open(relay: string, { connect, now }: FramesRoomOptions = {}): Promise<FramesRoom> {
		const { identity } = await newIdentity();
		const invitations = await Invitations.of(identity.id, []);
		const { secret } = await invitations.create({ name: "one", right: "view" });
		const hostOf = ({ frames, states }: FramesRoom): RoomHost =>
			new RoomHost({
				relay,
				identity,
				invitations,
				epoch: 0,
				hostName: "host",
				...(connect && { connect }),
				...(now && { now }),
				session: {
					cursor: () => ({ epoch: "e", seq: frames.length - 1 }),
					admit: async () => true,
					join({ from }, onLines) {
						void onLines(frames.slice(from ? from.seq + 1 : 0));
						return { take() {}, resume() {}, [Symbol.dispose]() {} };
					},
				},
				events: {
					onState: (state) =>
						void states.push("reason" in state ? `${state.kind}: ${state.reason}` : state.kind),
					onJoined() {},
					onLeft() {},
					onFault() {},
					onChange() {},
				},
			});
		const room = new FramesRoom(hostOf, readLink(`${relay}/r/${identity.id}#${secret}`, undefined));
		room.#add("snapshot", "s".repeat(50_000));
		await room.host.start();
		return room;
	}

	/** A frame, which guests that are there get at once. */
	say(kind: string, text: string): void {
		void this.host.broadcast([this.#add(kind, text)]);
	}

	#add(kind: string, text: string): string {
		const seq = this.frames.length;
		const frame = JSON.stringify({ epoch: "e", seq, sessionId: "s", kind, body: { text } });
		this.frames.push(frame);
		return frame;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.host.close("over", true);
	}
}

/** Reads a room into `frames`, and continues where it was after a connection that was lost. */
export class FramesGuest implements Disposable {
	readonly frames: string[] = [];
	readonly ends: (string | undefined)[] = [];
	readonly #room: FramesRoom;
	readonly #connect: ConnectRelay | undefined;
	readonly #stop = new AbortController();

	constructor(room: FramesRoom, connect?: ConnectRelay) {
		this.#room = room;
		this.#connect = connect;
	}

	/** One connection; ask again after it has ended. */
	async join(onEnd: () => void = () => {}): Promise<Connection> {
		const seq = this.frames.length - 1;
		const options = { link: this.#room.link, ...(this.#connect && { connect: this.#connect }) };
		return await roomTransport(options).connect(
			{ client: { id: "g", name: "Guest", kinds: [] }, ...(seq >= 0 ? { from: { epoch: "e", seq } } : {}) },
			{
				signal: this.#stop.signal,
				onLine: (line) => void this.frames.push(line),
				onEnd: (reason) => {
					this.ends.push(reason);
					onEnd();
				},
			},
		);
	}

	/** Comes back until it is disposed of. */
	async stay(): Promise<void> {
		while (!this.#stop.signal.aborted) {
			const ended = Promise.withResolvers<void>();
			try {
				await this.join(ended.resolve);
				await ended.promise;
			} catch (error) {
				this.ends.push(String(error));
			}
			await Bun.sleep(20);
		}
	}

	[Symbol.dispose](): void {
		this.#stop.abort();
	}
}

export async function until(isTrue: () => boolean, what: string): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > deadline) throw new Error(`not seen: ${what}`);
		await Bun.sleep(10);
	}
}

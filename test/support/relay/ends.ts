/** A host and guests as tests use them: they come back by themselves, resend what was not acknowledged, and count what arrives. */
import { connect, type Socket as NetSocket } from "node:net";

import { hostProof, peerOf, readHeader, roomOf, sealedInto, type Envelope } from "@tau/wire/envelope";

export interface Received {
	readonly peer: string;
	readonly seq: number;
	readonly text: string;
}

interface Sent {
	readonly peer: string;
	readonly seq: number;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

const encode = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Addresses of the nodes; an end takes the next one whenever its connection is lost. */
export interface EndOptions {
	readonly nodes: readonly string[];
	/** Where it begins. */
	readonly first?: number;
	/** It does not come back by itself. */
	readonly once?: true;
	readonly link?: string;
	readonly links?: readonly string[];
	/** Whom a proxy in front would say that it is. */
	readonly address?: string;
}

abstract class End {
	readonly options: EndOptions;
	readonly room: string;
	readonly received: Received[] = [];
	/** Messages that came twice, or after one that is missing. */
	readonly doubled: Received[] = [];
	readonly gaps: Received[] = [];
	readonly controls: Record<string, unknown>[] = [];
	readonly closes: { code: number; reason: string }[] = [];
	protected readonly seen = new Map<string, number>();
	protected readonly sent = new Map<string, number>();
	protected unsafe: Sent[] = [];
	/** Messages of this connection that were acknowledged so far. */
	#acknowledged = 0;
	#node: number;
	#wakeups = new Set<() => void>();
	socket?: WebSocket;
	isIn = false;
	stream = 0;
	welcomes = 0;
	isStopped = false;
	#backoff = 50;

	constructor(room: string, options: EndOptions) {
		this.room = room;
		this.options = options;
		this.#node = options.first ?? 0;
	}

	abstract readonly role: "host" | "guest";
	protected abstract greeting(control: Record<string, unknown>): Promise<object | undefined>;
	protected abstract channelOf(envelope: Envelope): string;
	protected abstract onWelcome(welcome: Record<string, unknown>): void;

	connect(): void {
		const { nodes, address } = this.options;
		const node = nodes[this.#node++ % nodes.length] ?? "";
		const socket = new WebSocket(`${node.replace(/^http/, "ws")}/r/${this.room}?role=${this.role}&v=1`, {
			headers: address === undefined ? {} : { "x-forwarded-for": address },
		});
		this.socket = socket;
		socket.binaryType = "arraybuffer";
		socket.addEventListener("open", () => void this.#onOpen(socket));
		socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
			if (socket !== this.socket) return;
			if (typeof data === "string") void this.#onControl(socket, JSON.parse(data));
			else this.#onMessage(new Uint8Array(data));
			this.#wake();
		});
		socket.addEventListener("close", ({ code, reason }) => {
			if (socket !== this.socket) return;
			this.closes.push({ code, reason });
			this.isIn = false;
			this.#wake();
			if (this.isStopped || this.options.once || (code >= 4000 && code !== 4004 && code !== 4008)) return;
			setTimeout(() => this.isStopped || this.connect(), this.#backoff);
			this.#backoff = Math.min(500, this.#backoff * 1.5);
		});
	}

	/** Resolves as soon as `isTrue`; fails after a bound. */
	async until(isTrue: () => boolean, what: string, timeoutMs = 20_000): Promise<void> {
		const deadline = Date.now() + timeoutMs;
		while (!isTrue()) {
			const left = deadline - Date.now();
			if (left <= 0) throw new Error(`${this.role}: ${what} did not happen. ${JSON.stringify(this.state())}`);
			const woken = Promise.withResolvers<void>();
			this.#wakeups.add(woken.resolve);
			const timer = setTimeout(woken.resolve, Math.min(left, 100));
			await woken.promise;
			clearTimeout(timer);
		}
	}

	async joined(): Promise<void> {
		await this.until(() => this.isIn, "the welcome");
	}

	/** Numbers a message and sends it, now or when it is back. */
	post(peer: string, payload: Uint8Array): void {
		const seq = (this.sent.get(peer) ?? 0) + 1;
		this.sent.set(peer, seq);
		const direction = this.role === "host" ? "down" : "up";
		const sent = { peer, seq, bytes: sealedInto({ direction, stream: this.stream, peer, seq }, payload) };
		this.unsafe.push(sent);
		if (this.isIn) this.socket?.send(sent.bytes);
	}

	/** The host has begun anew, and so do its numbers. */
	forget(): void {
		this.received.length = 0;
		this.seen.clear();
	}

	stop(): void {
		this.isStopped = true;
		this.socket?.close();
	}

	state(): object {
		const { closes, isIn, received, doubled, gaps } = this;
		const last = this.controls.slice(-3);
		return {
			isIn,
			received: received.length,
			doubled: doubled.length,
			gaps: gaps.length,
			closes: closes.slice(-3),
			last,
		};
	}

	async #onOpen(socket: WebSocket): Promise<void> {
		if (this.role === "host") return;
		const hello = await this.greeting({});
		if (socket === this.socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(hello));
	}

	async #onControl(socket: WebSocket, control: Record<string, unknown>): Promise<void> {
		this.controls.push(control);
		if (control.t === "challenge") {
			const hello = await this.greeting(control);
			if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(hello));
		} else if (control.t === "welcome") {
			this.#backoff = 50;
			this.stream = Number(control.stream);
			this.onWelcome(control);
			this.#acknowledged = 0;
			this.isIn = true;
			this.welcomes++;
			for (const { bytes } of this.unsafe) socket.send(bytes);
		} else if (control.t === "ack") {
			const n = Number(control.n);
			this.unsafe.splice(0, n - this.#acknowledged);
			this.#acknowledged = n;
		} else if (control.t === "move" && !this.options.once) {
			const before = socket;
			setTimeout(() => {
				if (before !== this.socket || this.isStopped) return;
				this.isIn = false;
				this.connect();
			}, Number(control.ms));
		}
		this.#wake();
	}

	#onMessage(bytes: Uint8Array): void {
		const envelope = readHeader(bytes);
		if (!envelope) throw new Error("a message without a header");
		const channel = this.channelOf(envelope);
		const message = { peer: channel, seq: envelope.seq, text: new TextDecoder().decode(bytes.subarray(20)) };
		const last = this.seen.get(channel) ?? 0;
		if (envelope.seq <= last) return void this.doubled.push(message);
		if (envelope.seq > last + 1) this.gaps.push(message);
		this.seen.set(channel, envelope.seq);
		this.received.push(message);
	}

	#wake(): void {
		const wakeups = this.#wakeups;
		this.#wakeups = new Set();
		for (const wake of wakeups) wake();
	}

	[Symbol.dispose](): void {
		this.stop();
	}
}

export class TestHost extends End {
	readonly role = "host";
	readonly keys: CryptoKeyPair;

	constructor(room: string, keys: CryptoKeyPair, options: EndOptions) {
		super(room, options);
		this.keys = keys;
		this.stream = Math.floor(Date.now() / 1000);
	}

	static async create(options: EndOptions): Promise<TestHost> {
		const keys = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
		const raw = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
		return new TestHost(await roomOf(raw), keys, options);
	}

	/** The same host in a new process: it has its key and nothing else. */
	anew(): TestHost {
		const host = new TestHost(this.room, this.keys, this.options);
		host.stream = this.stream + 1;
		return host;
	}

	broadcast(text: string): void {
		this.post("", new TextEncoder().encode(text));
	}

	send(peer: string, text: string): void {
		this.post(peer, new TextEncoder().encode(text));
	}

	control(control: object): void {
		this.socket?.send(JSON.stringify(control));
	}

	protected async greeting({ nonce }: Record<string, unknown>): Promise<object> {
		const proof = hostProof(this.room, String(nonce), this.stream);
		const key = new Uint8Array(await crypto.subtle.exportKey("raw", this.keys.publicKey));
		const sig = new Uint8Array(await crypto.subtle.sign("Ed25519", this.keys.privateKey, proof));
		const { links } = this.options;
		const up = this.welcomes > 0 ? Object.fromEntries(this.seen) : undefined;
		return { t: "hello", key: encode(key), sig: encode(sig), stream: this.stream, links, up };
	}

	protected channelOf({ peer }: Envelope): string {
		return peer;
	}

	protected onWelcome(welcome: Record<string, unknown>): void {
		const accepted = welcome.accepted as Record<string, number>;
		this.unsafe = this.unsafe.filter(({ peer, seq }) => seq > (accepted[peer] ?? 0));
		for (const [peer, seq] of Object.entries(welcome.up as Record<string, number>)) this.seen.set(peer, seq);
	}
}

export class TestGuest extends End {
	readonly role = "guest";
	readonly secret = crypto.getRandomValues(new Uint8Array(16));
	peer = "";

	static async join(room: string, options: EndOptions): Promise<TestGuest> {
		const guest = new TestGuest(room, options);
		guest.peer = await peerOf(guest.secret);
		guest.connect();
		return guest;
	}

	prompt(text: string): void {
		this.post(this.peer, new TextEncoder().encode(text));
	}

	protected greeting(): Promise<object> {
		const cursors =
			this.welcomes > 0
				? { stream: this.stream, all: this.seen.get("") ?? 0, own: this.seen.get(this.peer) ?? 0 }
				: {};
		return Promise.resolve({
			t: "hello",
			secret: encode(this.secret),
			link: this.options.link ?? "link",
			...cursors,
		});
	}

	protected channelOf({ peer }: Envelope): string {
		return peer;
	}

	protected onWelcome(welcome: Record<string, unknown>): void {
		this.seen.set("", Number(welcome.all));
		this.seen.set(this.peer, Number(welcome.own));
		this.unsafe = this.unsafe.filter(({ seq }) => seq > Number(welcome.accepted));
	}
}

/** A guest over a bare socket that reads nothing until it is told to. */
export class SlowGuest implements AsyncDisposable {
	readonly #socket: NetSocket;
	#text = "";

	private constructor(socket: NetSocket) {
		this.#socket = socket;
	}

	static async join(url: string, room: string): Promise<SlowGuest> {
		const { hostname, port } = new URL(url);
		const socket = connect(Number(port), hostname);
		const guest = new SlowGuest(socket);
		socket.write(
			`GET /r/${room}?role=guest&v=1 HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
		);
		socket.on("data", (part) => {
			guest.#text += part.toString("latin1");
		});
		await guest.until(/ 101 /);
		socket.write(
			maskedText(JSON.stringify({ t: "hello", secret: encode(new Uint8Array(16).fill(7)), link: "slow" })),
		);
		await guest.until(/"t":"welcome"/);
		socket.pause();
		return guest;
	}

	readOn(): void {
		this.#socket.resume();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#socket.destroy();
	}

	async until(part: RegExp): Promise<RegExpExecArray> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const match = part.exec(this.#text);
			if (match) return match;
			if (Date.now() > deadline) throw new Error(`${part} did not come`);
			await Bun.sleep(10);
		}
	}
}

/** A text frame as clients send it, with a mask of zeros. */
function maskedText(text: string): Buffer {
	const body = Buffer.from(text);
	return Buffer.concat([
		Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0]),
		body,
	]);
}

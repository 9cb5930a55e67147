/** Listens on a Unix socket that only this user can use, and lets in who has the token. */
import { timingSafeEqual } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";

import { log, timer, version } from "@tau/utils";
import { protocolVersion, readObject } from "@tau/wire/remote";

import { limits } from "../local/limits.ts";
import { LineSocket } from "../local/line-socket.ts";
import { isOwnPeer } from "./peer-user.ts";
import { readHello, type Hello, type HelloRefused, type Welcome } from "../local/protocol.ts";

/** A peer that was let in. */
export interface Peer {
	readonly hello: Hello;
	/** Tells it that it is in, with the answer to what it came for. */
	welcome(data?: unknown): void;
	refuse(reason: string): void;
	/** Sends lines of JSON; a promise while it does not read. */
	sendLines(lines: readonly string[]): void | Promise<void>;
	/** Called for each line from now on. */
	onLine: (line: Record<string, unknown>) => void;
	/** Called when it has left, or was dropped. */
	onEnd: () => void;
	pause(): void;
	resume(): void;
	close(): void;
}

export interface ListenOptions {
	path: string;
	token: string;
	onPeer(peer: Peer): void;
}

/** Keeps the process until it is disposed of; the socket file is removed with it. */
export function listenLocally({ path, token, onPeer }: ListenOptions): Disposable {
	const peers = new Set<LineSocket>();
	// A file of a process that had the same pid: the caller holds the name.
	rmSync(path, { force: true });
	const mask = process.umask(0o177);
	try {
		const server = Bun.listen<LineSocket>({
			unix: path,
			socket: {
				open(socket) {
					const peer = greet(socket, token, onPeer, () => peers.delete(peer));
					socket.data = peer;
					peers.add(peer);
					if (peers.size > limits.peers) peer[Symbol.dispose]();
				},
				data: (socket, chunk) => socket.data.take(chunk),
				drain: (socket) => socket.data.drain(),
				close: (socket, error) => socket.data.closed(error),
				error: (socket, error) => socket.data.closed(error),
			},
		});
		chmodSync(path, 0o600);
		return {
			[Symbol.dispose]() {
				for (const peer of peers) peer[Symbol.dispose]();
				server.stop(true);
				rmSync(path, { force: true });
			},
		};
	} finally {
		process.umask(mask);
	}
}

/** Everything before the greeting is bounded in size and time, and answered with nothing but a refusal. */
function greet(
	socket: Bun.Socket<LineSocket>,
	token: string,
	onPeer: ListenOptions["onPeer"],
	onGone: () => void,
): LineSocket {
	let peer: Peer | undefined;
	const refuse = (reason: string): void => {
		const refusal: HelloRefused = { type: "hello_refused", reason };
		void lines.send(refusal);
		lines.close();
	};
	const late = timer(limits.helloMs, () => lines[Symbol.dispose]());
	const admit = async (line: string): Promise<void> => {
		const hello = readHello(readObject(line) ?? {});
		late[Symbol.dispose]();
		// A command that was sent with the greeting waits until it is clear who sent it.
		lines.pause();
		if (!(await isOwnPeer(lines.fd))) return refuse("Only the user who runs the session may join it.");
		if (!hello || !isSame(hello.token, token)) return refuse("The greeting or its token is wrong.");
		if (hello.version !== protocolVersion)
			return refuse(`This is Tau ${version}; both ends have to be of the same version.`);
		lines.allow();
		peer = peerOf(hello, lines, refuse);
		onPeer(peer);
		for (const early of waiting.splice(0)) pass(peer, early);
		lines.resume();
	};
	const pass = (to: Peer, line: string): void => {
		const value = readObject(line);
		if (value) to.onLine(value);
		else lines.drop("A line is not a JSON object.");
	};
	const waiting: string[] = [];
	let isGreeted = false;
	const lines: LineSocket = new LineSocket(socket, {
		lineBytes: limits.commandBytes,
		firstBytes: limits.helloBytes,
		onLine(line) {
			if (peer) return pass(peer, line);
			if (isGreeted) return void waiting.push(line);
			isGreeted = true;
			void admit(line);
		},
		onEnd(reason) {
			late[Symbol.dispose]();
			if (reason !== undefined) log.info("a local client was dropped", { reason });
			onGone();
			peer?.onEnd();
		},
	});
	return lines;
}

function peerOf(hello: Hello, lines: LineSocket, refuse: (reason: string) => void): Peer {
	return {
		hello,
		welcome(data) {
			const welcome: Welcome = {
				type: "hello_ok",
				version: protocolVersion,
				program: version,
				...(data === undefined ? {} : { data }),
			};
			void lines.send(welcome);
		},
		refuse,
		sendLines: (sent) => lines.sendLines(sent),
		onLine: () => {},
		onEnd: () => {},
		pause: () => lines.pause(),
		resume: () => lines.resume(),
		close: () => lines.close(),
	};
}

/** Takes as long whatever the difference. */
function isSame(given: string, token: string): boolean {
	const [one, two] = [given, token].map((text) => new Bun.CryptoHasher("sha256").update(text).digest());
	return one !== undefined && two !== undefined && timingSafeEqual(one, two);
}

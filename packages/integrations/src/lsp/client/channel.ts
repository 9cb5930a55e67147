/** Messages between Tau and a language server: over the pipes of a program, over a socket, or within this process. */
import type { Duplex } from "node:stream";

import type { RunningProgram } from "@tau/sys";

import { FrameReader, writeFrame } from "../../framing/frames.ts";
import { limits } from "../limits.ts";

export interface ChannelListener {
	onMessage(message: unknown): void;
	/** Once: nothing is received any more. */
	onClosed(reason: string): void;
}

export interface MessageChannel {
	send(message: object): void;
	/** Called once. */
	listen(listener: ChannelListener): void;
	close(reason?: string): void;
}

/** Closing it leaves the program alone. */
export function programChannel(program: RunningProgram): MessageChannel {
	return {
		send: (message) => writeFrame(program.input, message),
		listen({ onMessage, onClosed }) {
			new FrameReader({ onMessage, onProblem: onClosed }).follow(program.output);
			void program.exited.then(({ exitCode, killedBy }) =>
				onClosed(
					killedBy === undefined ? `it exited with code ${exitCode ?? "?"}` : `it was ended by ${killedBy}`,
				),
			);
		},
		close() {},
	};
}

export function socketChannel(socket: Duplex, closedReason: string): MessageChannel {
	return {
		send(message) {
			if (socket.destroyed) return;
			writeFrame(socket, message);
			// The other side has stopped reading.
			if (socket.writableLength > limits.socketBytes) socket.destroy();
		},
		listen({ onMessage, onClosed }) {
			new FrameReader({
				onMessage,
				onProblem(reason) {
					onClosed(reason);
					socket.destroy();
				},
			}).follow(socket);
			socket.once("close", () => onClosed(closedReason));
		},
		close: () => void socket.destroy(),
	};
}

/** Two ends of a channel within this process. */
export function channelPair(): [MessageChannel, MessageChannel] {
	const [left, right] = [new LocalEnd(), new LocalEnd()];
	left.other = right;
	right.other = left;
	return [left, right];
}

class LocalEnd implements MessageChannel {
	other: LocalEnd | undefined;
	/** What has arrived before anybody listens. */
	readonly #early: object[] = [];
	#listener: ChannelListener | undefined;
	#isClosed = false;

	send(message: object): void {
		this.other?.receive(message);
	}

	receive(message: object): void {
		if (this.#isClosed) return;
		if (this.#listener) this.#listener.onMessage(message);
		else this.#early.push(message);
	}

	listen(listener: ChannelListener): void {
		this.#listener = listener;
		for (const message of this.#early.splice(0)) listener.onMessage(message);
	}

	close(reason = "it was stopped"): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#listener?.onClosed(reason);
		this.other?.close(reason);
	}
}

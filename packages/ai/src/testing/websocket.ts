/** The server's side of a websocket on a connection of the played model: the handshake and frames (RFC 6455). */
import type { Connection } from "./connection.ts";
import { limits } from "./limits.ts";
import type { Outlet, StreamedBody, WholeResponse } from "./response.ts";

/** What every server adds to the client's key, by the standard. */
const handshakeId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
	opcode: number;
	payload: Buffer;
}

/** The head that accepts an upgrade. */
export function acceptance(key: string, headers: Record<string, string>): Buffer {
	const accept = new Bun.CryptoHasher("sha1").update(key + handshakeId).digest("base64");
	const lines = Object.entries({
		upgrade: "websocket",
		connection: "Upgrade",
		"sec-websocket-accept": accept,
		...headers,
	}).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.from(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
}

/** A whole frame, unmasked as servers send it. */
export function frameOf(opcode: number, payload: Uint8Array): Buffer {
	const { length } = payload;
	const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
	head[0] = 0x80 | opcode;
	if (head.length === 2) head[1] = length;
	else if (head.length === 4) {
		head[1] = 126;
		head.writeUInt16BE(length, 2);
	} else {
		head[1] = 127;
		head.writeBigUInt64BE(BigInt(length), 2);
	}
	return Buffer.concat([head, payload]);
}

/** Splits the bytes of a client into whole messages; control frames may stand between the parts of one. */
export class FrameReader {
	#bytes = Buffer.alloc(0);
	#parts: Buffer[] = [];

	push(bytes: Uint8Array): void {
		this.#bytes = Buffer.concat([this.#bytes, bytes]);
	}

	/** Undefined while bytes are missing. */
	next(): Frame | undefined {
		for (let read = this.#frame(); read !== undefined; read = this.#frame()) {
			const { opcode, payload, isFinal } = read;
			if (opcode >= opcodes.close) return { opcode, payload };
			this.#parts.push(payload);
			if (!isFinal) continue;
			const whole = Buffer.concat(this.#parts);
			this.#parts = [];
			return { opcode: opcodes.text, payload: whole };
		}
		return undefined;
	}

	#frame(): (Frame & { isFinal: boolean }) | undefined {
		const bytes = this.#bytes;
		if (bytes.length < 2) return undefined;
		const [first = 0, second = 0] = bytes;
		const short = second & 0x7f;
		const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
		// Four bytes of the mask, which clients always send.
		const start = 2 + lengthBytes + 4;
		if (bytes.length < start) return undefined;
		const length =
			lengthBytes === 0
				? short
				: lengthBytes === 2
					? bytes.readUInt16BE(2)
					: Number(bytes.readBigUInt64BE(2));
		if (length > limits.bodyBytes) throw new Error("a frame is too large");
		if (bytes.length < start + length) return undefined;
		const mask = bytes.subarray(start - 4, start);
		const payload = Buffer.from(bytes.subarray(start, start + length));
		for (let at = 0; at < length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
		this.#bytes = bytes.subarray(start + length);
		return { opcode: first & 0x0f, payload, isFinal: (first & 0x80) !== 0 };
	}
}

/** The messages of a websocket: each event of the protocol's stream is one, and an error is one with its status. */
export class SocketOutlet implements Outlet {
	readonly #connection: Connection;

	constructor(connection: Connection) {
		this.#connection = connection;
	}

	async whole({ status, headers, body }: WholeResponse): Promise<void> {
		const fields: unknown = JSON.parse(body);
		const rest = typeof fields === "object" ? fields : {};
		const { "retry-after": retryAfter } = headers;
		const stated = retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } };
		await this.#send([JSON.stringify({ type: "error", status, ...rest, ...stated })]);
	}

	stream(_headers: Record<string, string>, tearAt = Infinity): StreamedBody {
		let left = tearAt;
		const write = async (text: string): Promise<void> => {
			const bytes = framesOf(eventsOf(text));
			await this.#connection.send(bytes.subarray(0, left));
			left -= bytes.length;
			if (left <= 0) this.#connection.cut();
		};
		return { write, end: write };
	}

	async endEarly(): Promise<void> {
		await this.#connection.send(frameOf(opcodes.close, Buffer.from([0x03, 0xe8])));
		this.#connection.cut();
	}

	async #send(messages: readonly string[]): Promise<void> {
		await this.#connection.send(framesOf(messages));
	}
}

function framesOf(messages: readonly string[]): Buffer {
	return Buffer.concat(messages.map((message) => frameOf(opcodes.text, Buffer.from(message))));
}

/** The data of server-sent events; other lines are messages as they are. */
function eventsOf(text: string): string[] {
	return text
		.split("\n\n")
		.filter((event) => event !== "")
		.map((event) => event.replace(/^event: .*\n/, "").replace(/^data: /, ""));
}

/** Writes HTTP responses on a connection: complete or in chunks, and cut at an exact byte on request. */

import type { Connection } from "./connection.ts";

/** How an answer leaves: as an HTTP response, or as the messages of a websocket. */
export interface Outlet {
	whole(response: WholeResponse, tearAt?: number): Promise<void>;
	stream(headers: Record<string, string>, tearAt?: number, encoding?: BufferEncoding): StreamedBody;
	/** Ends what has no end of its own when the events that finish an answer are missing. */
	endEarly?(): Promise<void>;
}

export interface StreamedBody {
	write(text: string): Promise<void>;
	end(text: string): Promise<void>;
}

export function httpOutlet(connection: Connection): Outlet {
	return {
		whole: (response, tearAt) => sendWhole(connection, response, tearAt),
		stream: (headers, tearAt, encoding) => new ChunkedBody(connection, headers, tearAt, encoding),
	};
}

export interface WholeResponse {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** A torn response promises the whole body in its head, and the connection ends after `tearAt` bytes of it. */
export async function sendWhole(
	connection: Connection,
	{ status, headers, body }: WholeResponse,
	tearAt?: number,
): Promise<void> {
	const bytes = Buffer.from(body);
	const start = head(status, { ...headers, "content-length": String(bytes.length) });
	await connection.send(Buffer.concat([start, bytes.subarray(0, tearAt)]));
	if (tearAt !== undefined) connection.cut();
}

/**
 * A body of unknown length. The head is sent with the first bytes, the end with the last: one write if it is short.
 */
class ChunkedBody implements StreamedBody {
	readonly #connection: Connection;
	readonly #tearAt: number;
	readonly #encoding: BufferEncoding;
	#head: Buffer;
	#sent = 0;

	constructor(
		connection: Connection,
		headers: Record<string, string>,
		tearAt = Infinity,
		encoding: BufferEncoding = "utf8",
	) {
		this.#connection = connection;
		this.#tearAt = tearAt;
		this.#encoding = encoding;
		this.#head = head(200, { ...headers, "transfer-encoding": "chunked" });
	}

	/** Writing an empty text still sends the head. */
	async write(text: string): Promise<void> {
		const bytes = Buffer.from(text, this.#encoding);
		const start = this.#takeHead();
		if (this.#sent + bytes.length < this.#tearAt) {
			this.#sent += bytes.length;
			return this.#connection.send(Buffer.concat([start, ...chunk(bytes)]));
		}
		const rest = bytes.subarray(0, this.#tearAt - this.#sent);
		await this.#connection.send(Buffer.concat([start, sizeOf(bytes), rest]));
		this.#connection.cut();
	}

	async end(text: string): Promise<void> {
		if (this.#tearAt < Infinity) {
			await this.write(text);
			return this.#connection.cut();
		}
		const last = Buffer.from("0\r\n\r\n");
		await this.#connection.send(
			Buffer.concat([this.#takeHead(), ...chunk(Buffer.from(text, this.#encoding)), last]),
		);
	}

	#takeHead(): Buffer {
		const start = this.#head;
		this.#head = Buffer.alloc(0);
		return start;
	}
}

/** An empty chunk would end the body. */
function chunk(bytes: Buffer): Buffer[] {
	return bytes.length === 0 ? [] : [sizeOf(bytes), bytes, lineEnd];
}

const lineEnd = Buffer.from("\r\n");

function sizeOf(bytes: Buffer): Buffer {
	return Buffer.from(`${bytes.length.toString(16)}\r\n`);
}

function head(status: number, headers: Record<string, string>): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	const reason = status === 200 ? "OK" : "";
	return Buffer.from(
		`HTTP/1.1 ${status} ${reason}\r\ndate: ${new Date().toUTCString()}\r\n${lines.join("")}\r\n`,
	);
}

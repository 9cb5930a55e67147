/** A WebSocket server on this machine for one protocol, JSON-RPC, without any package: only whoever has the token may connect. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

/** RFC 6455, section 1.3. */
const handshakeSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** A message holds the text of a file at most. */
const mostBytes = 16 * 1024 * 1024;
/** Terminals that are connected to one window at most. */
const mostClients = 20;

const text = 1;
const close = 8;
const ping = 9;
const pong = 10;

/** Resolves when the server listens. `onRequest` throws with the reason where it cannot answer. */
export async function listen({ token, onRequest }) {
	const clients = new Set();
	const server = createServer((_, response) => response.writeHead(404).end());
	server.on("upgrade", (request, socket, head) => {
		const refusal = whyNot(request, token, clients.size);
		if (refusal)
			return void socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
		const client = new Client(socket, onRequest);
		clients.add(client);
		socket.on("close", () => clients.delete(client));
		socket.write(handshake(request));
		client.take(head);
	});
	await new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	return {
		port: server.address().port,
		notify: (method, params) => {
			for (const client of clients) client.send({ method, params });
		},
		dispose: () => {
			for (const client of clients) client.end();
			server.close();
		},
	};
}

/** A page in a browser always names its origin, and is never let in. */
function whyNot({ headers }, token, clients) {
	const given = Buffer.from(headers["x-claude-code-ide-authorization"] ?? "");
	const wanted = Buffer.from(token);
	if (headers.origin !== undefined) return "403 Forbidden";
	if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return "401 Unauthorized";
	if (headers["sec-websocket-key"] === undefined) return "400 Bad Request";
	return clients < mostClients ? undefined : "503 Service Unavailable";
}

function handshake({ headers }) {
	const key = createHash("sha1")
		.update(headers["sec-websocket-key"] + handshakeSuffix)
		.digest("base64");
	const speaksMcp = (headers["sec-websocket-protocol"] ?? "").split(/,\s*/).includes("mcp");
	return [
		"HTTP/1.1 101 Switching Protocols",
		"Upgrade: websocket",
		"Connection: Upgrade",
		`Sec-WebSocket-Accept: ${key}`,
		...(speaksMcp ? ["Sec-WebSocket-Protocol: mcp"] : []),
		"\r\n",
	].join("\r\n");
}

class Client {
	#socket;
	#onRequest;
	#rest = Buffer.alloc(0);
	/** The parts of a message so far. */
	#parts = [];

	constructor(socket, onRequest) {
		this.#socket = socket;
		this.#onRequest = onRequest;
		socket.on("data", (chunk) => this.take(chunk));
		// A terminal that is gone takes its connection with it.
		socket.on("error", () => socket.destroy());
	}

	send(message) {
		this.#write(text, Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message })));
	}

	end() {
		this.#write(close, Buffer.alloc(0));
		this.#socket.end();
	}

	take(chunk) {
		this.#rest = Buffer.concat([this.#rest, chunk]);
		for (let frame = readFrame(this.#rest); frame; frame = readFrame(this.#rest)) {
			if (frame.isWrong) return void this.#socket.destroy();
			this.#rest = this.#rest.subarray(frame.length);
			this.#takeFrame(frame);
		}
	}

	#takeFrame({ code, isLast, payload }) {
		if (code === close) return this.end();
		if (code === ping) return this.#write(pong, payload);
		if (code === pong) return;
		this.#parts.push(payload);
		const bytes = this.#parts.reduce((sum, { length }) => sum + length, 0);
		if (bytes > mostBytes) return void this.#socket.destroy();
		if (!isLast) return;
		const message = Buffer.concat(this.#parts.splice(0)).toString("utf8");
		void this.#answer(message);
	}

	async #answer(line) {
		let id;
		try {
			const { method, params = {}, ...message } = JSON.parse(line);
			({ id } = message);
			if (id === undefined || method === undefined) return;
			this.send({ id, result: await this.#onRequest(method, params) });
		} catch (error) {
			this.send({
				id: id ?? null,
				error: { code: -32_603, message: error instanceof Error ? error.message : String(error) },
			});
		}
	}

	#write(code, payload) {
		if (!this.#socket.writable) return;
		const { length } = payload;
		const head = length < 126 ? Buffer.from([0x80 | code, length]) : Buffer.alloc(length < 65_536 ? 4 : 10);
		if (length >= 126) {
			head[0] = 0x80 | code;
			head[1] = length < 65_536 ? 126 : 127;
			if (length < 65_536) head.writeUInt16BE(length, 2);
			else head.writeBigUInt64BE(BigInt(length), 2);
		}
		this.#socket.write(Buffer.concat([head, payload]));
	}
}

/** Undefined until all of it has come. Clients mask what they send. */
function readFrame(bytes) {
	if (bytes.length < 2) return undefined;
	const short = bytes[1] & 0x7f;
	const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
	if (bytes.length < 2 + sizeBytes) return undefined;
	const size =
		sizeBytes === 0 ? short : sizeBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
	const isMasked = (bytes[1] & 0x80) !== 0;
	if (!isMasked || size > mostBytes || (bytes[0] & 0x70) !== 0) return { isWrong: true };
	const start = 2 + sizeBytes + 4;
	if (bytes.length < start + size) return undefined;
	const mask = bytes.subarray(start - 4, start);
	const payload = Buffer.from(bytes.subarray(start, start + size));
	for (let at = 0; at < size; at++) payload[at] ^= mask[at & 3];
	return { code: bytes[0] & 0x0f, isLast: (bytes[0] & 0x80) !== 0, payload, length: start + size };
}

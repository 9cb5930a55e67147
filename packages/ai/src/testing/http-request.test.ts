import { expect, test } from "bun:test";
import fc from "fast-check";
import { RequestReader, type ReadRequest } from "./http-request.ts";
import { limits } from "./limits.ts";

function readAll(bytes: Uint8Array, cuts: number[] = []): ReadRequest[] {
	const reader = new RequestReader();
	const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
	return borders.flatMap((border, index) => {
		reader.push(bytes.subarray(borders[index - 1] ?? 0, border));
		const requests: ReadRequest[] = [];
		for (let read = reader.next(); read !== undefined; read = reader.next()) {
			requests.push(read);
		}
		return requests;
	});
}

function post(body: string, headers = ""): string {
	return `POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const chunked =
	"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;ext=1\r\n😀\r\n0\r\nTrailer: x\r\n\r\n";

test("requests on one connection are read the same for any chunks", () => {
	const bytes = Buffer.from(post('{"text":"日本語"}') + chunked + "\r\n" + post("", "X-A: 1\r\nx-a: 2\r\n"));
	fc.assert(
		fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
			const requests = readAll(bytes, cuts).map((read) =>
				read !== undefined && "request" in read ? read.request : undefined,
			);
			expect(requests.map((request) => request?.rawBody)).toEqual(['{"text":"日本語"}', "abc😀", ""]);
			expect(requests[0]).toMatchObject({ method: "POST", path: "/v1/messages", query: "beta=true" });
			expect(requests[2]?.headers["x-a"]).toBe("1, 2");
		}),
	);
});

test("a client that requests to close the connection is understood", () => {
	const [read] = readAll(Buffer.from(post("", "Connection: Close\r\n")));
	expect(read).toMatchObject({ request: { keepAlive: false } });
});

test.each([
	["GET /\r\n\r\n", 400],
	["GET / HTTP/1.1\r\n: no name\r\n\r\n", 400],
	["POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400],
	["POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400],
	[`POST / HTTP/1.1\r\ncontent-length: ${limits.bodyBytes + 1}\r\n\r\n`, 413],
	[`GET / HTTP/1.1\r\na: ${"b".repeat(limits.headBytes)}`, 431],
	[`GET / HTTP/1.1\r\n${"a: b\r\n".repeat(limits.headBytes / 4)}\r\n`, 431],
])("an invalid request is rejected once, and nothing after it is read: %#", (text, status) => {
	expect(readAll(Buffer.from(text + post("after")), [text.length])).toEqual([
		{ refusal: { status, reason: expect.any(String) } },
	]);
});

/** Writes messages of Amazon's binary event stream, as its services send them. */

const stringType = 7;
const preludeBytes = 12;
const checksumBytes = 4;

/** All headers are strings: no service sends a model's answer with others. */
export function eventStreamMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
	const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
	const body = Buffer.from(payload);
	const message = Buffer.alloc(preludeBytes + head.length + body.length + checksumBytes);
	message.writeUInt32BE(message.length, 0);
	message.writeUInt32BE(head.length, 4);
	message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, 8)), 8);
	head.copy(message, preludeBytes);
	body.copy(message, preludeBytes + head.length);
	const end = message.length - checksumBytes;
	message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, end)), end);
	return message;
}

function header(name: string, value: string): Buffer {
	const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
	const size = Buffer.alloc(3);
	size.writeUInt8(stringType, 0);
	size.writeUInt16BE(valueBytes.length, 1);
	return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, size, valueBytes]);
}

/** The first frame of an animated WebP as an image of its own: the decoder and models know only still ones. */

const alphaFlag = 0x10;
const frameHeader = 16;

export interface FirstFrame {
	bytes: Uint8Array;
	/** Frames of the whole animation. */
	frames: number;
	width: number;
	height: number;
}

/** Undefined for a WebP that is not animated. Throws for one whose first frame is truncated. */
export function firstFrame(bytes: Uint8Array): FirstFrame | undefined {
	const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	if (source.toString("latin1", 8, 16) !== "WEBPVP8X") return undefined;
	let first: Buffer | undefined;
	let frames = 0;
	for (const { name, data } of chunks(source, 12)) {
		if (name !== "ANMF") continue;
		first ??= data;
		frames++;
	}
	if (!first) return undefined;
	const [width, height] = [first.readUIntLE(6, 3) + 1, first.readUIntLE(9, 3) + 1];
	const parts = [...chunks(first, frameHeader)].filter(({ name }) => ["ALPH", "VP8 ", "VP8L"].includes(name));
	const image = parts.find(({ name }) => name !== "ALPH");
	if (!image) throw new Error("the first frame has no image");
	const hasAlpha = parts.length > 1;
	const body = hasAlpha ? [extended(width, height), ...parts.map(({ whole }) => whole)] : [image.whole];
	return { bytes: file(body), frames, width, height };
}

interface Chunk {
	name: string;
	data: Buffer;
	whole: Buffer;
}

function* chunks(source: Buffer, start: number): Generator<Chunk> {
	for (let at = start; at + 8 <= source.length;) {
		const size = source.readUInt32LE(at + 4);
		const end = at + 8 + size;
		if (end > source.length) throw new Error("the image is truncated");
		const padded = Buffer.concat([source.subarray(at, end), Buffer.alloc(size % 2)]);
		yield { name: source.toString("latin1", at, at + 4), data: source.subarray(at + 8, end), whole: padded };
		at = end + (size % 2);
	}
}

/** The header that announces an alpha channel before the image. */
function extended(width: number, height: number): Buffer {
	const chunk = Buffer.alloc(18);
	chunk.write("VP8X");
	chunk.writeUInt32LE(10, 4);
	chunk.writeUInt8(alphaFlag, 8);
	chunk.writeUIntLE(width - 1, 12, 3);
	chunk.writeUIntLE(height - 1, 15, 3);
	return chunk;
}

function file(parts: readonly Buffer[]): Buffer {
	const body = Buffer.concat([Buffer.from("WEBP"), ...parts]);
	const head = Buffer.alloc(8);
	head.write("RIFF");
	head.writeUInt32LE(body.length, 4);
	return Buffer.concat([head, body]);
}

/** Bitmaps of at most 256 colors, plain or run-length encoded, as bitmaps of true colors: the decoder knows no others. */

const fileHeader = 14;
const trueHeader = 54;
/** The compression methods of the header. */
const plain = 0;
const runs8 = 1;
const runs4 = 2;

/** Undefined for a bitmap that has no palette. Throws for one that is truncated or broken. */
export function withoutPalette(bytes: Uint8Array): Uint8Array | undefined {
	const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const headerBytes = source.readUInt32LE(fileHeader);
	const isOld = headerBytes === 12;
	const bits = source.readUInt16LE(isOld ? 24 : 28);
	if (![1, 2, 4, 8].includes(bits)) return undefined;
	const width = isOld ? source.readUInt16LE(18) : source.readInt32LE(18);
	const height = isOld ? source.readInt16LE(20) : source.readInt32LE(22);
	const method = isOld ? plain : source.readUInt32LE(30);
	const rows = Math.abs(height);
	const image = { source, start: source.readUInt32LE(10), bits, width, rows };
	const indices = method === plain ? plainIndices(image) : runIndices(image, method);
	const palette = source.subarray(fileHeader + headerBytes, image.start);
	return trueColors(indices, palette, isOld ? 3 : 4, width, height);
}

interface Image {
	source: Buffer;
	start: number;
	bits: number;
	width: number;
	rows: number;
}

function plainIndices({ source, start, bits, width, rows }: Image): Uint8Array {
	const indices = new Uint8Array(width * rows);
	const stride = Math.ceil((width * bits) / 32) * 4;
	if (start + stride * rows > source.length) throw new Error("the bitmap is truncated");
	const mask = (1 << bits) - 1;
	for (let row = 0; row < rows; row++) {
		for (let column = 0; column < width; column++) {
			const bit = column * bits;
			const byte = source[start + row * stride + (bit >> 3)] ?? 0;
			indices[row * width + column] = (byte >> (8 - bits - (bit & 7))) & mask;
		}
	}
	return indices;
}

/** Pairs of bytes: a count and what to repeat, or a zero and a command. */
function runIndices({ source, start, width, rows }: Image, method: number): Uint8Array {
	if (method !== runs8 && method !== runs4) throw new Error("the compression is unknown");
	const indices = new Uint8Array(width * rows);
	let [row, column, at] = [0, 0, start];
	const put = (index: number): void => {
		if (row < rows && column < width) indices[row * width + column] = index;
		column++;
	};
	const pixel = (byte: number, index: number): number =>
		method === runs8 ? byte : index % 2 === 0 ? byte >> 4 : byte & 15;
	for (;;) {
		if (at + 1 >= source.length) throw new Error("the bitmap is truncated");
		const [count = 0, value = 0] = source.subarray(at, at + 2);
		at += 2;
		if (count > 0) for (let index = 0; index < count; index++) put(pixel(value, index));
		else if (value === 0) [row, column] = [row + 1, 0];
		else if (value === 1) return indices;
		else if (value === 2) {
			column += source[at] ?? 0;
			row += source[at + 1] ?? 0;
			at += 2;
		} else {
			const length = method === runs8 ? value : Math.ceil(value / 2);
			for (let index = 0; index < value; index++) {
				put(pixel(source[at + (method === runs8 ? index : index >> 1)] ?? 0, index));
			}
			at += length + (length % 2);
		}
	}
}

function trueColors(
	indices: Uint8Array,
	palette: Uint8Array,
	entryBytes: number,
	width: number,
	height: number,
): Uint8Array {
	const rows = Math.abs(height);
	const stride = Math.ceil((width * 3) / 4) * 4;
	const out = Buffer.alloc(trueHeader + stride * rows);
	out.write("BM");
	out.writeUInt32LE(out.length, 2);
	out.writeUInt32LE(trueHeader, 10);
	out.writeUInt32LE(40, 14);
	out.writeInt32LE(width, 18);
	out.writeInt32LE(height, 22);
	out.writeUInt16LE(1, 26);
	out.writeUInt16LE(24, 28);
	for (let row = 0; row < rows; row++) {
		let to = trueHeader + row * stride;
		for (let column = 0; column < width; column++) {
			const color = (indices[row * width + column] ?? 0) * entryBytes;
			out[to++] = palette[color] ?? 0;
			out[to++] = palette[color + 1] ?? 0;
			out[to++] = palette[color + 2] ?? 0;
		}
	}
	return out;
}

/** Builds archives as npm does, and malicious ones. */

export interface TarFile {
	path: string;
	text?: string;
	/** The kind of entry: a file, a link, a directory, a device. */
	type?: "0" | "1" | "2" | "3" | "5";
	/** The target of a link. */
	target?: string;
}

const block = 512;

/** Paths are used as they are, without `package/` in front. */
export function tarball(files: readonly TarFile[]): Uint8Array {
	const parts = files.flatMap(({ path, text = "", type = "0", target = "" }) => {
		const body = Buffer.from(text);
		const padding = (block - (body.length % block)) % block;
		return [header(path, body.length, type, target), body, Buffer.alloc(padding)];
	});
	return Bun.gzipSync(Buffer.concat([...parts, Buffer.alloc(block * 2)]));
}

/** The files of a package, below `package/`. */
export function packageTarball(files: Readonly<Record<string, string>>): Uint8Array {
	return tarball(Object.entries(files).map(([path, text]) => ({ path: `package/${path}`, text })));
}

function header(path: string, size: number, type: string, target: string): Buffer {
	const bytes = Buffer.alloc(block);
	bytes.write(path, 0, 100);
	bytes.write("0000644\0", 100);
	bytes.write("0000000\0", 108);
	bytes.write("0000000\0", 116);
	bytes.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
	bytes.write("00000000000\0", 136);
	bytes.write("        ", 148);
	bytes.write(type, 156);
	bytes.write(target, 157, 100);
	bytes.write("ustar\x0000", 257);
	const sum = bytes.reduce((all, byte) => all + byte, 0);
	bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
	return bytes;
}

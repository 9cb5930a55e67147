/** Separates addresses of the public internet from those of this machine, its network and its provider. */
import { ownNetworks } from "@tau/sys";

interface Network {
	bytes: Uint8Array;
	bits: number;
}

/** Addresses that are not public, by the registries of special addresses (RFC 6890 and its successors). */
const reserved: readonly Network[] = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	// Link-local, with the metadata services of cloud providers.
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	// Multicast, reserved, broadcast.
	"224.0.0.0/3",
	// The platform service of Azure has an address in the public range.
	"168.63.129.16/32",
	// IPv6 assigns only 2000::/3: the two halves around it are unassigned.
	"::/3",
	"4000::/2",
	"8000::/1",
	// Tunnels and test networks inside of it.
	"2001::/23",
	"2001:db8::/32",
	"2002::/16",
	"3fff::/20",
].map(networkOf);

/** The prefixes that embed an IPv4 address in an IPv6 one: mapped, and NAT64. */
const carriers: readonly Network[] = ["::ffff:0:0/96", "64:ff9b::/96"].map(networkOf);

/** A text that is not an address is not public either, nor is an address of this machine's own (`own`). */
export function isPublicAddress(address: string, own: readonly string[] = ownNetworks()): boolean {
	const bytes = addressBytes(address);
	if (!bytes) return false;
	const inner = carriers.some((network) => isWithin(bytes, network)) ? bytes.subarray(12) : bytes;
	return ![...reserved, ...own.map(networkOf)].some((network) => isWithin(inner, network));
}

/** 4 or 16 bytes. */
export function addressBytes(address: string): Uint8Array | undefined {
	const [bare = ""] = address.split("%");
	return bare.includes(":") ? sixteenBytes(bare) : fourBytes(bare);
}

function fourBytes(address: string): Uint8Array | undefined {
	const parts = address.split(".");
	if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
		return undefined;
	}
	return Uint8Array.from(parts, Number);
}

function sixteenBytes(address: string): Uint8Array | undefined {
	const [front = "", back, ...more] = address.split("::");
	if (more.length > 0) return undefined;
	const [before, after] = [groupBytes(front), groupBytes(back ?? "")];
	if (!before || !after) return undefined;
	const missing = 16 - before.length - after.length;
	if (back === undefined ? missing !== 0 : missing < 2) return undefined;
	return Uint8Array.from([...before, ...Array<number>(missing).fill(0), ...after]);
}

/** Groups of hexadecimal digits; the last may be an IPv4 address. */
function groupBytes(text: string): number[] | undefined {
	if (text === "") return [];
	const bytes: number[] = [];
	const groups = text.split(":");
	for (const [index, group] of groups.entries()) {
		if (/^[0-9a-f]{1,4}$/i.test(group)) {
			const value = Number.parseInt(group, 16);
			bytes.push(value >> 8, value & 0xff);
			continue;
		}
		const four = index === groups.length - 1 ? fourBytes(group) : undefined;
		if (!four) return undefined;
		bytes.push(...four);
	}
	return bytes;
}

function networkOf(text: string): Network {
	const [address = "", bits] = text.split("/");
	return { bytes: addressBytes(address) ?? new Uint8Array(), bits: Number(bits) };
}

function isWithin(address: Uint8Array, { bytes, bits }: Network): boolean {
	if (address.length !== bytes.length) return false;
	for (let at = 0; at * 8 < bits; at++) {
		const shift = Math.max(0, 8 - (bits - at * 8));
		if ((address[at] ?? 0) >> shift !== (bytes[at] ?? 0) >> shift) return false;
	}
	return true;
}

/** Which addresses commands of a sandbox may reach: no loopback, and this machine's network only if the user named the host. */
import type { BlockList } from "node:net";

import { once } from "@tau/utils";

import { ownNetworks } from "@tau/sys";
import { net } from "@tau/sys/node-library";

/** The loopback, the link that it is on, and services of cloud providers that hand out credentials. */
const never = once(() =>
	blockList([
		"0.0.0.0/8",
		"127.0.0.0/8",
		"169.254.0.0/16",
		"100.100.100.200/32",
		"192.0.0.0/24",
		"224.0.0.0/4",
		"240.0.0.0/4",
		"::/128",
		"::1/128",
		"fe80::/10",
		"fec0::/10",
		"ff00::/8",
		"fd00:ec2::/32",
	]),
);

const local = once(() =>
	blockList(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "fc00::/7"]),
);

/** IPv6 addresses that carry an IPv4 address in their last bits. */
const carriers = once(() => blockList(["::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"]));
const tunnels = once(() => blockList(["2002::/16", "2001::/32", "64:ff9b:1::/48"]));

export type AddressKind = "public" | "local" | "refused";

/** `own`: the networks of this machine's interfaces, whose addresses are local also where they are public ones. */
export function addressKind(address: string, own: readonly string[] = ownNetworks()): AddressKind {
	const { isIP } = net();
	const family = isIP(address) === 6 ? "ipv6" : "ipv4";
	if (isIP(address) === 0 || never().check(address, family)) return "refused";
	if (family === "ipv6") {
		if (tunnels().check(address, family)) return "refused";
		const inner = carriers().check(address, family) ? carried(address) : undefined;
		if (inner !== undefined) return addressKind(inner, own);
	}
	return local().check(address, family) || blockList(own).check(address, family) ? "local" : "public";
}

/** The IPv4 address in the last 32 bits. */
function carried(address: string): string {
	const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
	if (dotted !== undefined) return dotted;
	const [high = "0", low = "0"] = address.split(":").slice(-2);
	const [one, two] = [Number.parseInt(high || "0", 16), Number.parseInt(low || "0", 16)];
	return `${one >> 8}.${one & 0xff}.${two >> 8}.${two & 0xff}`;
}

function blockList(ranges: readonly string[]): BlockList {
	const { BlockList: List, isIP } = net();
	const list = new List();
	for (const range of ranges) {
		const [address = "", bits] = range.split("/");
		list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
	}
	return list;
}

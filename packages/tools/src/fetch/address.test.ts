/** No spelling of an address gives access to the machine or its network. */
import { expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";

import * as fc from "fast-check";

import { addressBytes, isPublicAddress } from "./address.ts";

test.each([
	"8.8.8.8",
	"1.1.1.1",
	"172.15.255.255",
	"172.32.0.1",
	"100.63.0.1",
	"100.128.0.1",
	"2606:4700:4700::1111",
	"::ffff:8.8.8.8",
	"64:ff9b::8.8.8.8",
])("%s is public", (address) => {
	expect(isPublicAddress(address)).toBe(true);
});

test.each([
	"0.0.0.0",
	"10.1.2.3",
	"100.64.0.1",
	"100.100.100.200",
	"127.0.0.1",
	"127.255.255.255",
	"168.63.129.16",
	"169.254.169.254",
	"172.16.0.1",
	"172.31.255.255",
	"192.168.1.1",
	"198.18.0.1",
	"224.0.0.1",
	"255.255.255.255",
	"::",
	"::1",
	"::127.0.0.1",
	"::ffff:127.0.0.1",
	"::ffff:7f00:1",
	"::FFFF:10.0.0.1",
	"64:ff9b::7f00:1",
	"64:ff9b:1::1",
	"fc00::1",
	"fd00:ec2::254",
	"fe80::1",
	"fe80::1%eth0",
	"fec0::1",
	"ff02::1",
	"2001:db8::1",
	"2002:7f00:1::",
	"2001::1",
	"100::1",
	"",
	"localhost",
	"127.1",
	"1.2.3.4.5",
	"256.1.1.1",
	"01.2.3.4",
	"1::2::3",
	":::",
	"12345::",
	"1:2:3:4:5:6:7",
	"1:2:3:4:5:6:7:8:9",
	"::ffff:1.2.3",
])("%s is not", (address) => {
	expect(isPublicAddress(address)).toBe(false);
});

test("an address of this machine's own is not public, nor is its network in IPv6", () => {
	const own = ["8.8.4.4/32", "2a01:4f8:1:2::5/64"];
	for (const address of ["8.8.4.4", "::ffff:8.8.4.4", "2a01:4f8:1:2::5", "2a01:4f8:1:2::77"])
		expect([address, isPublicAddress(address, own)]).toEqual([address, false]);
	for (const address of ["8.8.4.5", "2a01:4f8:1:3::5"])
		expect([address, isPublicAddress(address, own)]).toEqual([address, true]);
});

test("every address is parsed as the system parses it", () => {
	fc.assert(
		fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
			const bytes = addressBytes(address);
			expect(bytes).toHaveLength(isIP(address) === 4 ? 4 : 16);
			// Its canonical form is the same address.
			const groups = Array.from(bytes ?? [], (byte) => byte.toString(16).padStart(2, "0")).join("");
			const plain =
				isIP(address) === 4 ? Array.from(bytes ?? []).join(".") : (groups.match(/.{4}/g) ?? []).join(":");
			const list = new BlockList();
			list.addAddress(plain, isIP(address) === 4 ? "ipv4" : "ipv6");
			expect(list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")).toBe(true);
		}),
	);
});

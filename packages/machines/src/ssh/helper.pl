# Does steps on files for the shell of a channel, without a process for each. It is joined to one line. A request is the
# words of a step, each followed by a NUL, and an empty one; the answer is one line, with a plus sign if it succeeded.

use Time::HiRes;
open(my $in, "<", $ARGV[0]) or exit;
open(my $out, ">", $ARGV[1]) or exit;
unlink(@ARGV);
open(my $content, "<&=3") or exit;
$SIG{PIPE} = "IGNORE";

# Writes all bytes; false if that fails.
sub put {
	my ($to, $bytes) = @_;
	for (my $at = 0; $at < length($bytes);) {
		my $count = syswrite($to, $bytes, length($bytes) - $at, $at);
		next if !defined($count) && $!{EINTR};
		return 0 if !defined($count);
		$at += $count;
	}
	return 1;
}

# Copies up to so many bytes to $to, or only reads them, and returns how many were not there; undefined if that fails.
sub copy {
	my ($from, $to, $left) = @_;
	my $reason;
	while ($left > 0) {
		my $count = sysread($from, my $bytes, $left < 65536 ? $left : 65536);
		next if !defined($count) && $!{EINTR};
		return undef if !defined($count);
		last if $count == 0;
		$left -= $count;
		if (!$reason && $to && !put($to, $bytes)) { $reason = $! + 0; }
	}
	return $left if !$reason;
	$! = $reason;
	return undef;
}

my %steps = (
	stat => sub {
		my $path = pop;
		my @s = @_ ? Time::HiRes::stat($path) : Time::HiRes::lstat($path);
		return @s ? sprintf("%x %d %d %.9f %.9f %d %d %d", @s[2, 1, 7, 9, 10, 3, 4, 5]) : undef;
	},
	print => sub {
		my ($path, $most) = @_;
		open(my $file, "<", $path) or return undef;
		return defined(copy($file, \*STDOUT, $most)) ? "" : undef;
	},
	write => sub {
		my ($path, $length, $mask) = @_;
		umask(oct($mask));
		my $reason = open(my $file, ">", $path) ? 0 : $! + 0;
		my $missing = copy($content, $reason ? undef : $file, $length);
		# The connection was lost in the middle of the content.
		exit if $missing;
		$reason ||= $! + 0 if !defined($missing);
		$reason ||= $! + 0 if !$reason && !close($file);
		$! = $reason;
		return $reason ? undef : "";
	},
	rename => sub { return rename($_[0], $_[1]) ? "" : undef; },
	remove => sub {
		for my $path (@_) { if (!unlink($path) && !$!{ENOENT}) { return undef; } }
		return "";
	},
);

put($out, "+\n") or exit;
my $buffer = "";
while (1) {
	my $end = index($buffer, "\0\0");
	if ($end < 0) {
		my $count = sysread($in, $buffer, 65536, length($buffer));
		exit if defined($count) ? $count == 0 : !$!{EINTR};
		next;
	}
	my ($name, @words) = split(/\0/, substr($buffer, 0, $end));
	substr($buffer, 0, $end + 2) = "";
	my $answer = $steps{$name}->(@words);
	put($out, defined($answer) ? "+$answer\n" : "$!\n") or exit;
}

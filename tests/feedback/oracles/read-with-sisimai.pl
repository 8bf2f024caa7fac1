# Reads the paths of bounces from standard input, and writes what Sisimai makes of each as a line of JSON.
use strict;
use warnings;
use JSON;
use Sisimai;

my $json = JSON->new->canonical;
while (my $path = <STDIN>) {
    chomp $path;
    my $records = eval { Sisimai->make($path, 'delivered' => 1) } || [];
    my @recipients = map { {
        address => $_->recipient->address,
        action  => $_->action,
        reason  => $_->reason,
    } } @$records;
    print $json->encode({ path => $path, recipients => \@recipients }), "\n";
}

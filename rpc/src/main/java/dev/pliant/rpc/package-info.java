/// What every gRPC peer needs: channels with TLS and a token, the check of that token, faults as
/// gRPC statuses and back again, and when to try again. On top of that the way to a job's master,
/// wherever it is now.
@NullMarked
package dev.pliant.rpc;

import org.jspecify.annotations.NullMarked;

package dev.pliant.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultsTest {
  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void saysWhatIsWrongAndWhetherToComeBack(ErrorCode code) throws Exception {
    StatusRuntimeException said = Faults.toGrpc(new PliantException(code, "what is wrong"));
    List<Any> details = StatusProto.fromThrowable(said).getDetailsList();
    assertThat(said.getStatus().getDescription()).isEqualTo("what is wrong");
    assertThat(details.getFirst().unpack(ErrorInfo.class).getReason()).isEqualTo(code.name());
    Code status = said.getStatus().getCode();
    boolean passing = status == Code.UNAVAILABLE || status == Code.RESOURCE_EXHAUSTED;
    assertThat(details.stream().anyMatch(d -> d.is(RetryInfo.class))).isEqualTo(passing);
    if (code == ErrorCode.OVERLOADED) {
      assertThat(status).isEqualTo(Code.RESOURCE_EXHAUSTED);
    }
  }
}
